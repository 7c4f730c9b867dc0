// The aggregator under test: the demo's eight real agents around a real aggregator, where a test raises and ends the troubles.
// It ends with its standard input, so it never outlives the test.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

import { PATIENCE_MS, until } from "./until.js";

/** @typedef {{id: number, at_ms: number, kind: string, subject: string, from: string | null, to: string | null, reason: string}} Told */
/** @typedef {"border" | "pair" | "verifier" | "service" | "agent" | "half-blind"} Trouble */

/** A round takes three seconds: eight agents, a browser and the tests share two cores. A machine that is busy beside wants less. */
const SPEED = process.env["QUORATE_DEMO_SPEED"] ?? "20";

export class Demo {
  /** @type {Told[]} Every event so far. */
  told = [];
  /** What it said to people. */
  said = "";
  url = "";
  token = "";
  #child;

  /** @param {string[]} flags */
  constructor(flags) {
    const program = process.env["QUORATE_AGGREGATOR"];
    if (!program) throw new Error("QUORATE_AGGREGATOR names no program: run the tests by `cargo xtask test`");
    this.#child = spawn(program, ["demo", "--by-hand", "--json", ...flags], { stdio: ["pipe", "pipe", "pipe"] });
    createInterface(this.#child.stdout).on("line", (line) => this.told.push(JSON.parse(line)));
    this.#child.stderr.on("data", (chunk) => (this.said += chunk));
  }

  /** A demo whose fleet watches itself and is well. @param {string[]} flags */
  static async open(...flags) {
    const demo = new Demo(["--speed", SPEED, ...flags]);
    try {
      await until("the demo's fleet is well", () => demo.#runs() && demo.said.includes("all is well"), 2 * PATIENCE_MS);
    } catch (error) {
      await demo.close();
      throw new Error(`${error instanceof Error ? error.message : error}: ${demo.said}`);
    }
    demo.url = demo.#after("page and API:");
    demo.token = demo.#after("token:");
    return demo;
  }

  /** @param {Trouble} trouble */
  raise(trouble) {
    this.#child.stdin.write(`raise ${trouble}\n`);
  }

  /** @param {Trouble} trouble */
  end(trouble) {
    this.#child.stdin.write(`end ${trouble}\n`);
  }

  /** The newest event of this kind about that, once there is one since `after`. @param {Partial<Told>} wanted @param {number} [after] an event's id */
  event(wanted, after = 0) {
    /** @returns {Told | undefined} */
    const find = () => (this.#runs() ? this.told.findLast((told) => told.id > after && fits(told)) : undefined);
    const fits = (/** @type {Told} */ told) => Object.entries(wanted).every(([key, value]) => told[/** @type {keyof Told} */ (key)] === value);
    return until(`an event like ${JSON.stringify(wanted)}`, find);
  }

  /** What the API answers. @param {string} path @param {RequestInit} [init] */
  async ask(path, init = {}) {
    const headers = { authorization: `Bearer ${this.token}`, "content-type": "application/json", ...init.headers };
    const answer = await fetch(new URL(path, this.url), { ...init, headers });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${init.method ?? "GET"} ${path}: ${answer.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  }

  async close() {
    this.#child.stdin.end();
    await until("the demo has ended", () => this.#child.exitCode !== null || this.#child.signalCode !== null);
  }

  #runs() {
    if (this.#child.exitCode === null) return true;
    throw new Error(`the demo has ended by itself (${this.#child.exitCode}): ${this.said}`);
  }

  /** @param {string} label */
  #after(label) {
    const line = this.said.split("\n").find((line) => line.startsWith(label));
    if (!line) throw new Error(`the demo did not say its ${label} ${this.said}`);
    return line.slice(label.length).trim();
  }
}
