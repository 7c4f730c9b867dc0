// Carries out what `line.ts` decides for one address: opens and closes the stream, asks, waits, and hands on what was heard.
//
// One feed serves every element that shows the same; it lives as long as one of them does, and leaves nothing behind.

import type { Instant } from "./freshness";
import { Line } from "./line";
import { refusal, retryAfterMs, type Refusal } from "./refusal";
import { parsed } from "./view";
import type { Stream, World } from "./world";

/** What a feed knows. The last news stay when it is lost or refused afterwards. */
export interface Heard<T> {
  news?: { view: T; at: Instant };
  refusal?: Refusal;
  /** Nobody answers. */
  lost: boolean;
}

/** Where to listen and ask, for what, and how to read it. */
export interface Source<T> {
  url: string;
  /** The event of the stream that carries the state. */
  event: string;
  until_s?: number;
  read: (json: unknown) => T | undefined;
}

/** Gives out the streams that a page may keep open: `undefined` where it has enough. What it gives hands one back. */
export type Lease = () => (() => void) | undefined;

export class Feed<T> {
  heard: Heard<T> = { lost: false };
  readonly #source: Source<T>;
  readonly #world: World;
  readonly #lease: Lease;
  readonly #line: Line;
  readonly #listeners = new Set<() => void>();
  #turn = 0;
  #end_step: () => void = () => {};
  #end_timer: () => void = () => {};
  #end_visible: (() => void) | undefined;

  constructor(source: Source<T>, world: World, lease: Lease) {
    this.#source = source;
    this.#world = world;
    this.#lease = lease;
    this.#line = new Line(world.dice);
  }

  /** Calls at each change of `heard`, until what it gives is called. The first listener starts the feed. */
  follow(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (!this.#end_visible) {
      this.#end_visible = this.#world.onVisible(() => this.#look());
      this.#look();
    }
    return () => this.#listeners.delete(listener);
  }

  get followed(): boolean {
    return this.#listeners.size > 0;
  }

  /** Closes all that is open; a listener that comes later starts it again. */
  stop(): void {
    this.#end_visible?.();
    this.#end_visible = undefined;
    this.#line.handleVisible(false, this.#now());
    this.#drive();
  }

  #look(): void {
    this.#line.handleVisible(this.#world.visible(), this.#now());
    this.#drive();
  }

  #now(): number {
    return this.#world.now().monotonic_ms;
  }

  /** Begins the step that the machine came to, if it is another one, and waits for its end. */
  #drive(): void {
    if (this.#turn !== this.#line.turn) {
      this.#turn = this.#line.turn;
      this.#end_step();
      this.#end_step = () => {};
      if (this.#line.step === "listen") this.#listen();
      else if (this.#line.step === "ask") this.#ask();
      // A stream that could not be opened has moved the machine on already.
      if (this.#turn !== this.#line.turn) return this.#drive();
    }
    this.#end_timer();
    this.#end_timer = () => {};
    if (this.#line.deadline === Infinity) return;
    this.#end_timer = this.#world.later(this.#line.deadline - this.#now(), () => {
      const asked = this.#line.step === "ask";
      this.#line.handleTimeout(this.#now());
      if (asked && this.#line.step !== "ask") this.#tell({ ...this.heard, lost: true });
      this.#drive();
    });
  }

  #listen(): void {
    const release = this.#lease();
    if (!release) return this.#line.handleNoStream(this.#now());
    let stream: Stream;
    try {
      stream = this.#world.listen(this.#source.url);
    } catch {
      // A browser without event streams, or a page whose policy forbids them.
      release();
      return this.#line.handleStreamLost(this.#now());
    }
    this.#end_step = () => {
      stream.close();
      release();
    };
    const turn = this.#turn;
    stream.addEventListener(this.#source.event, (event) => {
      if (turn !== this.#line.turn || !(event instanceof MessageEvent)) return;
      const view = parsed(String(event.data), this.#source.read);
      if (view === undefined) return;
      this.#line.handleHeard(this.#now());
      this.#tell({ news: { view, at: this.#world.now() }, lost: false });
      this.#drive();
    });
    stream.addEventListener("error", () => {
      if (turn !== this.#line.turn) return;
      this.#line.handleStreamLost(this.#now());
      this.#drive();
    });
  }

  #ask(): void {
    const abort = new AbortController();
    this.#end_step = () => abort.abort();
    const turn = this.#turn;
    void this.#answer(abort.signal).then((hear) => {
      if (turn !== this.#line.turn) return;
      hear(this.#now());
      this.#drive();
    });
  }

  /** Asks once; gives what is to be done with the answer, if it is still wanted. */
  async #answer(signal: AbortSignal): Promise<(now: number) => void> {
    const failed = (after_ms: number) => (now: number) => {
      this.#line.handleFailure(now, after_ms);
      this.#tell({ ...this.heard, lost: true });
    };
    try {
      const response = await this.#world.ask(this.#source.url, signal);
      const after_ms = retryAfterMs(response.headers.get("retry-after"));
      if (!response.ok) {
        const why = refusal(response.status, this.#source.until_s, this.#world.now().wall_ms / 1_000);
        if (why === undefined) return failed(after_ms);
        return (now) => {
          this.#line.handleRefusal(now, after_ms);
          this.#tell({ ...this.heard, refusal: why, lost: false });
        };
      }
      const view = parsed(await response.text(), this.#source.read);
      if (view === undefined) return failed(after_ms);
      return (now) => {
        this.#line.handleAnswer(now);
        this.#tell({ news: { view, at: this.#world.now() }, lost: false });
      };
    } catch {
      return failed(0);
    }
  }

  #tell(heard: Heard<T>): void {
    this.heard = heard;
    for (const listener of this.#listeners) listener();
  }
}
