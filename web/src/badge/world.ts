// What a feed needs of its browser: clocks, dice, a timer, the network, and whether anybody looks. Tests hand in their own.

import type { Instant } from "./freshness";

/** As much of an `EventSource` as is used. */
export interface Stream {
  addEventListener(name: string, listener: (event: Event) => void): void;
  close(): void;
}

export interface World {
  now(): Instant;
  /** In 0..1. */
  dice(): number;
  /** Calls back once; what it gives ends it. */
  later(ms: number, callback: () => void): () => void;
  ask(url: string, signal: AbortSignal): Promise<Response>;
  listen(url: string): Stream;
  visible(): boolean;
  /** Calls at each change of `visible`; what it gives ends it. */
  onVisible(callback: () => void): () => void;
}

/** Longer timers overflow in browsers and fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export const browser: World = {
  now: () => ({ monotonic_ms: performance.now(), wall_ms: Date.now() }),
  dice: () => Math.random(),
  later(ms, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(0, ms), TIMER_MS_MAX));
    return () => clearTimeout(timer);
  },
  // Cookies go to the aggregator's own origin alone; what is old is not wanted.
  ask: (url, signal) =>
    fetch(url, { signal, credentials: "same-origin", cache: "no-store", headers: { accept: "application/json" } }),
  listen: (url) => new EventSource(url),
  visible: () => document.visibilityState !== "hidden",
  onVisible(callback) {
    document.addEventListener("visibilitychange", callback);
    return () => document.removeEventListener("visibilitychange", callback);
  },
};
