// Somebody else's panel: a web server of its own, under another name than the aggregator's, whose page shows what it is given
// under as strict a policy as a panel may have.

import { once } from "node:events";
import http from "node:http";

export class Panel {
  #server = http.createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8", "content-security-policy": this.#policy }).end(this.#html);
  });
  #html = "";
  #policy = "";

  static async open() {
    const panel = new Panel();
    panel.#server.listen(0, "127.0.0.1");
    await once(panel.#server, "listening");
    return panel;
  }

  /** The aggregator is met at an address in numbers, so this name alone makes it another site. */
  get origin() {
    const { port } = /** @type {import("node:net").AddressInfo} */ (this.#server.address());
    return `http://localhost:${port}`;
  }

  /**
   * Its page has these from here on, pasted as the aggregator at `base` gives them out, and lets scripts and data of it in.
   * @param {string} base
   * @param {string[]} elements
   */
  hang(base, ...elements) {
    const { origin } = new URL(base);
    this.#policy = `default-src 'none'; script-src ${origin}; connect-src ${origin}; img-src data:; require-trusted-types-for 'script'; trusted-types 'none'`;
    this.#html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Panel</title><link rel="icon" href="data:,">
      <main><h1>Our servers</h1>${elements.map((element) => `<p>${element}</p>`).join("")}</main></html>`;
  }

  close() {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
