// How one feed is kept alive: it listens to the stream of events; where that fails it asks; where nobody answers it waits, longer
// each time, and begins again. While nobody looks at the page, it rests.
//
// A machine without clock, network or timer. Its driver (`feed.ts`) calls a `handle…` with the moment (ms, monotonic), then does
// what `step` says, and calls `handleTimeout` at `deadline`. `turn` counts the steps, so that the driver sees each one.
//
// A stream is worth nothing until it has spoken: a proxy may hold it back for ever, and a browser may have no connection left to
// give. So a silent one is given up and asked around. If the question is answered, the stream was to blame, and is tried again
// later and later; if nobody answers that either, it was not. One that has spoken and broke is opened again soon.

import { spread, wait } from "./backoff";

export type Step = "rest" | "listen" | "ask" | "wait";

/** The aggregator says its state at least each 10 s. */
const STREAM_QUIET_MS = 25_000;
const FIRST_WORD_MS = 8_000;
const ANSWER_MS = 10_000;
const POLL_MS = 10_000;
const AFTER_STREAM = { first_ms: 1_000, most_ms: 1_000 };
const AFTER_FAILURE = { first_ms: 2_000, most_ms: 60_000 };
/** Refused: it takes a person to change that, though a server may be added later. */
const AFTER_REFUSAL = { first_ms: 30_000, most_ms: 600_000 };
const STREAM_AGAIN = { first_ms: 30_000, most_ms: 600_000 };

export class Line {
  step: Step = "rest";
  /** Of the present step; `Infinity` where only something else ends it. */
  deadline = Infinity;
  turn = 0;
  readonly #dice: () => number;
  #spoke = false;
  #suspect = false;
  #mute = 0;
  #listen_from = -Infinity;
  #failures = 0;

  /** `dice` gives numbers in 0..1. */
  constructor(dice: () => number) {
    this.#dice = dice;
  }

  /** Somebody looks at the page, or nobody does. */
  handleVisible(visible: boolean, now: number): void {
    if (!visible) this.#go("rest", Infinity);
    else if (this.step === "rest") this.#begin(now);
  }

  /** The stream said something that could be read. */
  handleHeard(now: number): void {
    if (this.step !== "listen") return;
    this.#spoke = true;
    this.#mute = 0;
    this.#failures = 0;
    this.deadline = now + STREAM_QUIET_MS;
  }

  /** The stream ended, or never began. */
  handleStreamLost(now: number): void {
    if (this.step !== "listen") return;
    if (this.#spoke) {
      this.#pause(wait(AFTER_STREAM, 1, this.#dice()), now);
      return;
    }
    this.#suspect = true;
    this.#go("ask", now + ANSWER_MS);
  }

  /** The page may not open another stream: it is asked for, as where a stream fails. */
  handleNoStream(now: number): void {
    if (this.step !== "listen") return;
    this.#listen_from = now + spread(STREAM_AGAIN.first_ms, this.#dice());
    this.#go("ask", now + ANSWER_MS);
  }

  /** The question was answered. */
  handleAnswer(now: number): void {
    if (this.step !== "ask") return;
    this.#failures = 0;
    if (this.#suspect) {
      this.#mute += 1;
      this.#listen_from = now + wait(STREAM_AGAIN, this.#mute, this.#dice());
    }
    this.#pause(spread(POLL_MS, this.#dice()), now);
  }

  /** The question was refused; `after_ms` is how long the aggregator wants to be left alone. */
  handleRefusal(now: number, after_ms = 0): void {
    if (this.step !== "ask") return;
    this.#failures += 1;
    this.#pause(Math.max(after_ms, wait(AFTER_REFUSAL, this.#failures, this.#dice())), now);
  }

  /** Nobody answered, or nothing that can be read. */
  handleFailure(now: number, after_ms = 0): void {
    if (this.step !== "ask") return;
    this.#failures += 1;
    this.#pause(Math.max(after_ms, wait(AFTER_FAILURE, this.#failures, this.#dice())), now);
  }

  handleTimeout(now: number): void {
    if (now < this.deadline) return;
    switch (this.step) {
      case "rest":
        return;
      case "listen":
        return this.handleStreamLost(now);
      case "ask":
        return this.handleFailure(now);
      case "wait":
        return this.#begin(now);
    }
  }

  #begin(now: number): void {
    this.#spoke = false;
    this.#suspect = false;
    if (now >= this.#listen_from) this.#go("listen", now + FIRST_WORD_MS);
    else this.#go("ask", now + ANSWER_MS);
  }

  #pause(ms: number, now: number): void {
    this.#go("wait", now + ms);
  }

  #go(step: Step, deadline: number): void {
    this.step = step;
    this.deadline = deadline;
    this.turn += 1;
  }
}
