// A panel: a page of another origin than the aggregator's, with as strict a policy as it may have, in a real Chromium.

import http from "node:http";

import { chromium } from "playwright-core";

import { Double, LINK } from "./double.js";

const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
];

export function openBrowser() {
  return chromium.launch({ executablePath: process.env["QUORATE_CHROMIUM"] ?? "/usr/bin/chromium", args: FLAGS });
}

export function badge(server, more = "") {
  return `<quorate-badge server="${server}" link="${LINK.replace("&", "&amp;")}" ${more}></quorate-badge>`;
}

export function servers(route, more = "") {
  return `<quorate-servers route="${route}" link="${LINK.replace("&", "&amp;")}" ${more}></quorate-servers>`;
}

export class Panel {
  /** What the browser complained of: blocked by the policy, thrown by a script. */
  complaints = [];
  page;
  double;
  #server;

  /** A panel whose page has that in it; `options` are a browser context's, and `lang` of the page. */
  static async show(browser, double, body, { lang = "en", bypassCSP = false, ...options } = {}) {
    const panel = new Panel();
    panel.double = double;
    const policy = [
      "default-src 'none'", `script-src ${double.origin}`, `connect-src ${double.origin}`,
      "require-trusted-types-for 'script'", "trusted-types 'none'",
    ];
    const html = `<!doctype html><html lang="${lang}"><title>Panel</title>
      <script type="module" src="${double.base}badge.js"></script><main><h1>Servers</h1>${body}</main></html>`;
    panel.#server = http.createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8", "content-security-policy": policy.join("; ") });
      response.end(html);
    });
    await new Promise((listening) => panel.#server.listen(0, "127.0.0.1", listening));
    const context = await browser.newContext({ viewport: { width: 800, height: 600 }, timezoneId: "UTC", bypassCSP, ...options });
    panel.page = await context.newPage();
    panel.page.on("console", (message) => {
      // A refused question is told in the badge; that the browser logs it too is no complaint.
      if (message.type() === "error" && !/^Failed to load resource/.test(message.text())) panel.complaints.push(message.text());
    });
    panel.page.on("pageerror", (error) => panel.complaints.push(error.message));
    await panel.page.goto(`http://127.0.0.1:${panel.#server.address().port}/`);
    return panel;
  }

  /** The word of a server's badge. */
  word(server, nth = 0) {
    return this.page.locator(`quorate-badge[server="${server}"] .word`).nth(nth);
  }

  /** Waits until a badge says so. */
  async reads(server, text, { nth = 0, within_ms = 5_000 } = {}) {
    await this.word(server, nth).filter({ hasText: text }).waitFor({ timeout: within_ms });
  }

  /** The reason that is open. */
  get reason() {
    return this.page.locator("#tip.open");
  }

  async close() {
    await this.page.context().close();
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

export { Double };
