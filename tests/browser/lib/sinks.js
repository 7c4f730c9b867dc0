// Who gets messages: a receiver of webhooks that believes a signature alone, and a mail server without encryption, as a relay on
// the same machine is.

import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import { text } from "node:stream/consumers";

import { SMTPServer } from "smtp-server";

/** Older requests are somebody's recording. */
const AGE_MAX_S = 300;

export class Hook {
  /** @type {{delivery: string, message: any}[]} What was believed. */
  taken = [];
  #secret;
  #server = http.createServer(async (request, response) => {
    const body = await text(request);
    if (!this.#believes(request.headers, body)) {
      response.writeHead(401).end("the signature is wrong");
      return;
    }
    this.taken.push({ delivery: String(request.headers["x-quorate-delivery"]), message: JSON.parse(body) });
    response.writeHead(204).end();
  });

  /** @param {string} secret */
  constructor(secret) {
    this.#secret = secret;
  }

  /** @param {string} secret */
  static async open(secret) {
    const hook = new Hook(secret);
    hook.#server.listen(0, "127.0.0.1");
    await once(hook.#server, "listening");
    return hook;
  }

  get url() {
    return `http://127.0.0.1:${portOf(this.#server)}/hook`;
  }

  /** As docs/messages.md tells receivers. @param {http.IncomingHttpHeaders} headers @param {string} body */
  #believes(headers, body) {
    const timestamp = String(headers["x-quorate-timestamp"]);
    const said = Buffer.from(String(headers["x-quorate-signature"]), "hex");
    const right = createHmac("sha256", this.#secret).update(`${timestamp}.${body}`).digest();
    return Math.abs(Date.now() / 1000 - Number(timestamp)) <= AGE_MAX_S && said.length === right.length && timingSafeEqual(said, right);
  }

  close() {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

export class Mailbox {
  /** @type {{from: string, to: string[], text: string}[]} */
  mails = [];
  #server;

  constructor() {
    this.#server = new SMTPServer({
      disabledCommands: ["STARTTLS", "AUTH"],
      onData: async (/** @type {any} */ stream, /** @type {any} */ { envelope }, /** @type {(error?: Error) => void} */ taken) => {
        const to = envelope.rcptTo.map((/** @type {{address: string}} */ { address }) => address);
        this.mails.push({ from: envelope.mailFrom.address, to, text: await text(stream) });
        taken();
      },
      onRcptTo: (/** @type {{address: string}} */ { address }, /** @type {any} */ _, /** @type {(error?: Error) => void} */ taken) =>
        taken(address.startsWith("nobody@") ? Object.assign(new Error("nobody lives here"), { responseCode: 550 }) : undefined),
    });
  }

  static async open() {
    const mailbox = new Mailbox();
    const listener = mailbox.#server.listen(0, "127.0.0.1");
    if (!listener.listening) await once(listener, "listening");
    return mailbox;
  }

  get port() {
    return portOf(this.#server.server);
  }

  close() {
    this.#server.close();
  }
}

/** @param {import("node:net").Server} server */
function portOf(server) {
  return /** @type {import("node:net").AddressInfo} */ (server.address()).port;
}
