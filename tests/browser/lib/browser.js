// The browser: one Chromium for a file of tests, a fresh profile for each visitor. A visitor who sees an error on the console,
// a script that breaks, a violated policy or a request to a stranger has failed, whatever else was found.

import assert from "node:assert/strict";

import { chromium } from "playwright-core";

import { PATIENCE_MS } from "./until.js";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
];

export async function browser() {
  return chromium.launch({ executablePath: process.env["QUORATE_CHROMIUM"] ?? "/usr/bin/chromium", args: FLAGS });
}

/** @typedef {import("playwright-core").Page} Page */

export class Visitor {
  /** @type {string[]} What went wrong on the way. */
  amiss = [];

  /** @param {Page} page @param {import("playwright-core").BrowserContext} profile @param {string[]} origins */
  constructor(page, profile, origins) {
    this.page = page;
    this.profile = profile;
    this.origins = origins;
  }

  /** From there, too, the visitor's pages may load. @param {string} url */
  welcome(url) {
    this.origins.push(new URL(url).origin);
  }

  /**
   * Somebody with a fresh profile who may load from these origins alone.
   * @param {import("playwright-core").Browser} browser
   * @param {string[]} origins
   * @param {import("playwright-core").BrowserContextOptions} [options]
   */
  static async come(browser, origins, options = {}) {
    const profile = await browser.newContext({ locale: "en-GB", timezoneId: "UTC", viewport: { width: 1280, height: 900 }, ...options });
    profile.setDefaultTimeout(PATIENCE_MS);
    const page = await profile.newPage();
    const visitor = new Visitor(page, profile, [...origins]);
    page.on("pageerror", (error) => visitor.amiss.push(`broken script: ${error.message}`));
    page.on("console", (message) => {
      // Who is signed in is asked first of all, and nobody is an answer; that the browser logs it is no fault.
      const asked = message.location().url.endsWith("/api/v1/session") && /\b401\b/.test(message.text());
      if (message.type() === "error" && !asked) visitor.amiss.push(`console: ${message.text()} (${message.location().url})`);
    });
    page.on("request", (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol !== "data:" && !visitor.origins.includes(origin)) visitor.amiss.push(`a request to ${request.url()}`);
    });
    return visitor;
  }

  /** Signs in at `url`. @param {string} url @param {string} token */
  async signIn(url, token) {
    await this.page.goto(url);
    await this.page.getByLabel("Token").fill(token);
    await this.page.getByRole("button", { name: "Sign in" }).click();
    await this.page.getByRole("navigation").waitFor();
  }

  /** What a refused request leaves on the console is forgiven. @param {RegExp} expected */
  forgive(expected) {
    this.amiss = this.amiss.filter((line) => !expected.test(line));
  }

  async leave() {
    await this.profile.close();
    assert.deepEqual(this.amiss, []);
  }
}
