// An aggregator as far as a badge meets one: `badge.js`, and the addresses of badges as JSON and as a stream, for whoever has a
// signed link. What it says, whom it refuses and how it fails is the test's to choose; the true one is met in other tests.

import { readFile } from "node:fs/promises";
import http from "node:http";

const ANY_PAGE = { "access-control-allow-origin": "*" };
const BADGE = new URL("../../../web/dist/badge.js", import.meta.url);

/** The only link that is good, for whatever it is shown. */
export const LINK = "until=4000000000&sig=good";

/** What is said of a server. */
export function view(server, status, more = {}) {
  return {
    server,
    country: "NL",
    status,
    text: status,
    label: { key: status, values: {} },
    since_ms: Date.now() - 60_000,
    stale: false,
    evaluated_at_ms: Date.now(),
    fresh_for_ms: 30_000,
    ...more,
  };
}

export function unreachable(server, more = {}) {
  const countries = [{ country: "RU", cannot_see: 3, asked: 3 }];
  return view(server, "unreachable", {
    text: "Unreachable from your servers: 3 of 7 cannot see it (RU 3/3)",
    label: { key: "unreachable", values: { cannot_see: 3, asked: 7, countries } },
    reason: "its own report says it is well",
    ...more,
  });
}

export class Double {
  /** Whether streams say anything, and whether questions are answered; neither is refused. */
  streams = true;
  answers = true;
  #said = new Map();
  #refused = new Map();
  #readers = new Set();
  #server;

  static async start() {
    const double = new Double();
    double.#server = http.createServer((request, response) => double.#answer(request, response));
    await new Promise((listening) => double.#server.listen(0, "127.0.0.1", listening));
    return double;
  }

  /** Behind a path prefix, as behind a reverse proxy. */
  get base() {
    return `http://127.0.0.1:${this.#server.address().port}/quorate/`;
  }

  get origin() {
    return new URL(this.base).origin;
  }

  /** Streams that are open. */
  get readers() {
    return this.#readers.size;
  }

  /** Says so of a server from here on. */
  say(badge) {
    this.#said.set(`servers/${badge.server}`, badge);
    this.tell();
  }

  sayRoute(route, servers) {
    this.#said.set(`routes/${route}`, { route, servers });
    this.tell();
  }

  refuse(server, status) {
    this.#refused.set(`servers/${server}`, status);
  }

  /** Tells every stream its state. */
  tell() {
    if (this.streams) for (const reader of this.#readers) reader.tell();
  }

  /** Every stream breaks. */
  cut() {
    for (const { response } of this.#readers) response.destroy();
  }

  stop() {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request, response) {
    const { pathname, searchParams } = new URL(request.url, this.base);
    if (pathname === "/quorate/badge.js") {
      response.writeHead(200, { "content-type": "text/javascript", ...ANY_PAGE }).end(await readFile(BADGE));
      return;
    }
    const path = decodeURIComponent(pathname.replace("/quorate/api/v1/badges/", ""));
    const status = this.#status(path, searchParams.get("sig"));
    if (status) {
      response.writeHead(status, { "content-type": "application/problem+json", ...ANY_PAGE }).end("{}");
    } else if (request.headers.accept !== "text/event-stream") {
      if (!this.answers) return;
      response.writeHead(200, { "content-type": "application/json", ...ANY_PAGE }).end(JSON.stringify(this.#said.get(path)));
    } else {
      response.writeHead(200, { "content-type": "text/event-stream", ...ANY_PAGE }).flushHeaders();
      const event = path.startsWith("routes/") ? "badges" : "badge";
      const reader = { response, tell: () => response.write(`event: ${event}\ndata: ${JSON.stringify(this.#said.get(path))}\n\n`) };
      this.#readers.add(reader);
      response.on("close", () => this.#readers.delete(reader));
      if (this.streams) reader.tell();
    }
  }

  #status(path, sig) {
    if (sig !== "good") return 403;
    return this.#refused.get(path) ?? (this.#said.has(path) ? 0 : 404);
  }
}
