// Asks for what a slider stands on: not for each place that it passes, and of several answers only the newest counts. Moving on
// cancels what is under way.

export class Latest<T> {
  readonly #came: (value: T) => void;
  readonly #failed: (error: unknown) => void;
  readonly #rest_ms: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stop: AbortController | undefined;

  /** `rest_ms`: how long nothing else must be asked for before asking. */
  constructor(rest_ms: number, came: (value: T) => void, failed: (error: unknown) => void) {
    this.#rest_ms = rest_ms;
    this.#came = came;
    this.#failed = failed;
  }

  get asking(): boolean {
    return this.#stop !== undefined;
  }

  /** Asks, unless something else is asked for before. */
  ask(read: (signal: AbortSignal) => Promise<T>): void {
    this.cancel();
    const stop = new AbortController();
    this.#stop = stop;
    this.#timer = setTimeout(async () => {
      try {
        const value = await read(stop.signal);
        this.#end(stop, () => this.#came(value));
      } catch (error) {
        this.#end(stop, () => this.#failed(error));
      }
    }, this.#rest_ms);
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#stop?.abort();
    this.#stop = undefined;
  }

  #end(stop: AbortController, then: () => void): void {
    if (this.#stop !== stop) return;
    this.#stop = undefined;
    then();
  }
}
