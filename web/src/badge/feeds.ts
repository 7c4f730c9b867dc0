// One feed for each address, however many elements show it, and few streams for each aggregator.
//
// Over HTTP/1.1 a browser opens six connections to an origin and lets everything else wait behind them, the panel's own requests
// too if it shares the origin. So a page keeps at most `STREAMS_MAX` streams open to one; the others ask every few seconds.

import { Feed, type Source } from "./feed";
import type { World } from "./world";

export const STREAMS_MAX = 4;
/** A panel that draws its table anew takes its badges out and puts others in: that ends no stream. */
const LINGER_MS = 2_000;

export class Feeds {
  readonly #world: World;
  readonly #feeds = new Map<string, Feed<unknown>>();
  readonly #streams = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
  }

  /** The feed of `source`, and what ends following it. */
  follow<T>(source: Source<T>, listener: () => void): { feed: Feed<T>; end: () => void } {
    const key = `${source.event} ${source.url}`;
    // The event says how a view is read, so what is under the same key is of the same type.
    const feed = (this.#feeds.get(key) as Feed<T> | undefined) ?? this.#made(key, source);
    const unfollow = feed.follow(listener);
    const end = (): void => {
      unfollow();
      this.#world.later(LINGER_MS, () => {
        if (feed.followed || this.#feeds.get(key) !== feed) return;
        feed.stop();
        this.#feeds.delete(key);
      });
    };
    return { feed, end };
  }

  #made<T>(key: string, source: Source<T>): Feed<T> {
    const { origin } = new URL(source.url);
    const feed = new Feed(source, this.#world, () => this.#lease(origin));
    this.#feeds.set(key, feed as Feed<unknown>);
    return feed;
  }

  #lease(origin: string): (() => void) | undefined {
    const open = this.#streams.get(origin) ?? 0;
    if (open >= STREAMS_MAX) return undefined;
    this.#streams.set(origin, open + 1);
    return () => this.#streams.set(origin, (this.#streams.get(origin) ?? 1) - 1);
  }
}
