// Something that a page shows and keeps fresh: asked for when the page appears, again when an event that concerns it comes,
// and every so often behind that. What was read stays while a newer answer is waited for or fails, so a page never blinks;
// `failed` then says that it is old.

import type { ReactiveController, ReactiveControllerHost } from "lit";

import { Refusal, unanswered } from "./client";
import { type Happened, live } from "./live";

export interface ResourceOptions {
  /** Between two askings, while the page can be seen. */
  readonly every_ms?: number;
  /** Which events make it ask at once. */
  readonly on?: (happened: Happened) => boolean;
}

/** Events come in bunches when a border closes: one asking answers a bunch. */
const BUNCH_MS = 150;
const EVERY_MS = 10_000;

export class Resource<T> implements ReactiveController {
  /** What was read last. */
  value: T | undefined;
  /** Why the last asking failed; absent when it did not. */
  failed: Refusal | undefined;
  /** When `value` came, by this page's clock. */
  at_ms = 0;

  readonly #host: ReactiveControllerHost;
  readonly #read: () => Promise<T>;
  readonly #options: ResourceOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #off: (() => void) | undefined;
  #asking: Promise<void> | undefined;
  #again = false;
  #turn = 0;

  constructor(host: ReactiveControllerHost, read: () => Promise<T>, options: ResourceOptions = {}) {
    this.#host = host;
    this.#read = read;
    this.#options = options;
    host.addController(this);
  }

  hostConnected(): void {
    const { on } = this.#options;
    if (on) this.#off = live.on((happened) => on(happened) && this.#schedule(BUNCH_MS));
    live.addEventListener("missed", this.#missed);
    document.addEventListener("visibilitychange", this.#missed);
    void this.refresh();
  }

  hostDisconnected(): void {
    this.#off?.();
    live.removeEventListener("missed", this.#missed);
    document.removeEventListener("visibilitychange", this.#missed);
    clearTimeout(this.#timer);
    this.#turn += 1;
  }

  /** Forgets what was read and asks anew: another thing is looked at. */
  reset(): void {
    this.#turn += 1;
    this.#asking = undefined;
    this.value = undefined;
    this.failed = undefined;
    void this.refresh();
  }

  /** Asks now; resolves when the answer is in `value` or `failed`. */
  async refresh(): Promise<void> {
    if (this.#asking) {
      this.#again = true;
      return this.#asking;
    }
    clearTimeout(this.#timer);
    const turn = this.#turn;
    this.#asking = this.#ask(turn);
    await this.#asking;
  }

  async #ask(turn: number): Promise<void> {
    try {
      const value = await this.#read();
      if (turn !== this.#turn) return;
      this.value = value;
      this.failed = undefined;
      this.at_ms = Date.now();
      live.heard();
    } catch (error) {
      if (turn !== this.#turn) return;
      this.failed = error instanceof Refusal ? error : unanswered(error);
    }
    this.#asking = undefined;
    this.#host.requestUpdate();
    this.#schedule(this.#again ? BUNCH_MS : (this.#options.every_ms ?? EVERY_MS));
    this.#again = false;
  }

  readonly #missed = (): void => {
    if (!document.hidden) this.#schedule(BUNCH_MS);
  };

  #schedule(in_ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (document.hidden) return;
      void this.refresh();
    }, in_ms);
  }
}
