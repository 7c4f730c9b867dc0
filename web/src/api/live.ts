// What happens, as it happens: one stream of events for all pages, which comes back by itself and resumes behind the last id.
// A stream that has been quiet for longer than its keep-alives allow counts as lost. Pages poll behind it anyway, so a broken
// stream costs seconds and no truth. `heard_at_ms` is when the aggregator last said anything to this page, in the page's own
// time: what "no news for 40 s" is counted from.

import { credentials, home, type Schemas, signedOut } from "./client";
import { Messages } from "./sse";

export type Happened = Schemas["Event"];

/** The stream's keep-alive comes each 15 s: two that are missing are a loss. */
const QUIET_MS_MAX = 35_000;
const AGAIN_MS = [500, 1000, 2000, 5000, 10_000] as const;

export class Live extends EventTarget {
  /** When the aggregator last answered or said anything, by this page's clock; 0 before it did. */
  heard_at_ms = 0;
  /** Whether the stream stands. */
  connected = false;
  #last = "";
  #stop: AbortController | undefined;

  /** Begins to listen; does nothing if it does already. */
  start(): void {
    if (this.#stop) return;
    this.#stop = new AbortController();
    void this.#run(this.#stop.signal);
  }

  stop(): void {
    this.#stop?.abort();
    this.#stop = undefined;
    this.#last = "";
    this.heard_at_ms = 0;
    this.#set(false);
  }

  /** Something was heard of the aggregator: an answer or a sign of life. */
  heard(): void {
    this.heard_at_ms = Date.now();
    this.dispatchEvent(new Event("heard"));
  }

  /** Calls back at each event; the answer ends it. */
  on(then: (happened: Happened) => void): () => void {
    const listener = (event: Event) => then((event as CustomEvent<Happened>).detail);
    this.addEventListener("happened", listener);
    return () => this.removeEventListener("happened", listener);
  }

  async #run(stopped: AbortSignal): Promise<void> {
    for (let failures = 0; !stopped.aborted; failures += 1) {
      try {
        if (!(await this.#read(stopped, () => (failures = 0)))) return;
      } catch {
        // Whatever ended it: it is tried again below, and pages poll meanwhile.
      }
      this.#set(false);
      const wait = AGAIN_MS[Math.min(failures, AGAIN_MS.length - 1)] ?? 10_000;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }

  /** Reads until the stream ends; false if it is not to be tried again. */
  async #read(stopped: AbortSignal, came: () => void): Promise<boolean> {
    const quiet = new AbortController();
    let timer = setTimeout(() => quiet.abort(), QUIET_MS_MAX);
    try {
      const headers = { ...credentials(), accept: "text/event-stream", ...(this.#last && { "last-event-id": this.#last }) };
      const signal = AbortSignal.any([stopped, quiet.signal]);
      const response = await fetch(`${home()}/api/v1/events`, { headers, signal, credentials: "same-origin" });
      if (response.status === 401) {
        signedOut.dispatchEvent(new Event("signed-out"));
        return false;
      }
      if (!response.ok || !response.body) return true;
      this.#set(true);
      const messages = new Messages();
      for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
        clearTimeout(timer);
        timer = setTimeout(() => quiet.abort(), QUIET_MS_MAX);
        came();
        this.heard();
        for (const message of messages.take(text)) this.#tell(message.id, message.event, message.data);
      }
      return true;
    } finally {
      clearTimeout(timer);
    }
  }

  #tell(id: string, event: string, data: string): void {
    this.#last = id || this.#last;
    if (event === "missed") {
      this.dispatchEvent(new Event("missed"));
      return;
    }
    this.dispatchEvent(new CustomEvent<Happened>("happened", { detail: JSON.parse(data) as Happened }));
  }

  #set(connected: boolean): void {
    if (this.connected === connected) return;
    this.connected = connected;
    this.dispatchEvent(new Event(connected ? "connected" : "lost"));
  }
}

export const live = new Live();
