import { expect, test } from "vitest";

import type { Source } from "./feed";
import { Feeds, STREAMS_MAX } from "./feeds";
import type { Stream, World } from "./world";

interface Answer {
  status: number;
  body: string;
  retry_after?: string;
}

/** A browser whose time, network and eyes the test moves. */
class FakeWorld implements World {
  at_ms = 0;
  seen = true;
  answer: Answer | undefined = { status: 200, body: "answered" };
  asked: string[] = [];
  streams: FakeStream[] = [];
  timers = new Set<{ at_ms: number; callback: () => void }>();
  eyes = new Set<() => void>();

  now = () => ({ monotonic_ms: this.at_ms, wall_ms: 1_000_000 + this.at_ms });
  dice = () => 1;

  later(ms: number, callback: () => void): () => void {
    const timer = { at_ms: this.at_ms + ms, callback };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  ask(url: string, signal: AbortSignal): Promise<Response> {
    this.asked.push(url);
    const { answer } = this;
    if (!answer) return new Promise((_, fail) => signal.addEventListener("abort", () => fail(new Error("aborted"))));
    const headers = answer.retry_after === undefined ? {} : { "retry-after": answer.retry_after };
    return Promise.resolve(new Response(answer.body, { status: answer.status, headers }));
  }

  listen(url: string): Stream {
    const stream = new FakeStream(url);
    this.streams.push(stream);
    return stream;
  }

  visible = () => this.seen;

  onVisible(callback: () => void): () => void {
    this.eyes.add(callback);
    return () => this.eyes.delete(callback);
  }

  look(seen: boolean): void {
    this.seen = seen;
    for (const callback of this.eyes) callback();
  }

  /** Lets time pass, with all that falls due on the way. */
  async pass(ms: number): Promise<void> {
    const end = this.at_ms + ms;
    for (;;) {
      await settled();
      const due = [...this.timers].filter((timer) => timer.at_ms <= end).sort((a, b) => a.at_ms - b.at_ms)[0];
      if (!due) break;
      this.at_ms = Math.max(this.at_ms, due.at_ms);
      this.timers.delete(due);
      due.callback();
    }
    this.at_ms = end;
  }

  get open(): FakeStream[] {
    return this.streams.filter((stream) => !stream.closed);
  }
}

class FakeStream extends EventTarget implements Stream {
  closed = false;
  readonly url: string;

  constructor(url: string) {
    super();
    this.url = url;
  }

  close(): void {
    this.closed = true;
  }

  say(data: string, event = "badge"): void {
    this.dispatchEvent(new MessageEvent(event, { data: JSON.stringify(data) }));
  }

  break(): void {
    this.dispatchEvent(new Event("error"));
  }
}

/** All promises that are due have run. */
function settled(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}

/** A view is a text here. */
function source(path: string, until_s?: number): Source<string> {
  return {
    url: `https://watch.example.org/${path}`,
    event: "badge",
    read: (json) => (typeof json === "string" ? json : undefined),
    ...(until_s !== undefined && { until_s }),
  };
}

function following(world: FakeWorld, from = source("nl-1"), feeds = new Feeds(world)) {
  const heard: string[] = [];
  const { feed, end } = feeds.follow(from, () => heard.push(feed.heard.refusal ?? (feed.heard.lost ? "lost" : (feed.heard.news?.view ?? ""))));
  return { feed, end, heard, feeds };
}

test("what the stream says is heard at once, with the moment at which it came", () => {
  const world = new FakeWorld();
  const { feed, heard } = following(world);
  world.at_ms = 700;
  world.streams[0]?.say("ok");
  expect(heard).toEqual(["ok"]);
  expect(feed.heard.news?.at.monotonic_ms).toBe(700);
});

test("a message that cannot be read, or of another name, is no news", () => {
  const world = new FakeWorld();
  const { heard } = following(world);
  world.streams[0]?.dispatchEvent(new MessageEvent("badge", { data: "<html>" }));
  world.streams[0]?.say("ok", "something");
  expect(heard).toEqual([]);
});

test("where the stream fails the question is answered", async () => {
  const world = new FakeWorld();
  world.answer = { status: 200, body: '"asked"' };
  const { heard } = following(world);
  world.streams[0]?.break();
  await world.pass(0);
  expect(heard).toEqual(["asked"]);
  expect(world.open).toEqual([]);
  await world.pass(10_000);
  expect(heard).toEqual(["asked", "asked"]);
});

test("an expired link, a refused one and an unknown server are told apart", async () => {
  const told = async (status: number, until_s?: number): Promise<string | undefined> => {
    const world = new FakeWorld();
    world.answer = { status, body: "{}" };
    const { heard } = following(world, source("nl-1", until_s));
    world.streams[0]?.break();
    await world.pass(0);
    return heard[0];
  };
  // The wall clock of this world starts at 1,000 s.
  expect(await told(401, 1_000)).toBe("expired");
  expect(await told(403, 1_001)).toBe("refused");
  expect(await told(401)).toBe("refused");
  expect(await told(410, 9_999)).toBe("expired");
  expect(await told(404)).toBe("unknown");
  expect(await told(503)).toBe("lost");
  expect(await told(429)).toBe("lost");
});

test("the last news stay known when the aggregator is lost", async () => {
  const world = new FakeWorld();
  const { feed } = following(world);
  world.streams[0]?.say("ok");
  world.answer = { status: 502, body: "" };
  world.streams[0]?.break();
  await world.pass(1_000);
  world.open[0]?.break();
  await world.pass(0);
  expect(feed.heard.lost).toBe(true);
  expect(feed.heard.news?.view).toBe("ok");
});

test("an answer that never comes is given up, and told", async () => {
  const world = new FakeWorld();
  world.answer = undefined;
  const { heard } = following(world);
  world.streams[0]?.break();
  await world.pass(9_999);
  expect(heard).toEqual([]);
  await world.pass(1);
  expect(heard).toEqual(["lost"]);
});

test("who asks for time gets it", async () => {
  const world = new FakeWorld();
  world.answer = { status: 503, body: "", retry_after: "120" };
  following(world);
  world.streams[0]?.break();
  await world.pass(119_000);
  expect(world.asked.length).toBe(1);
  await world.pass(2_000);
  expect(world.streams.length).toBe(2);
});

test("a page that nobody looks at has no stream, asks nothing and keeps no timer", async () => {
  const world = new FakeWorld();
  following(world);
  world.streams[0]?.say("ok");
  world.look(false);
  expect(world.open).toEqual([]);
  expect(world.timers.size).toBe(0);
  await world.pass(3_600_000);
  expect(world.asked).toEqual([]);
  world.look(true);
  expect(world.open.length).toBe(1);
});

test("an answer that comes after the page was hidden is not heard", async () => {
  const world = new FakeWorld();
  world.answer = { status: 200, body: '"late"' };
  const { heard } = following(world);
  world.streams[0]?.break();
  world.look(false);
  await world.pass(0);
  expect(heard).toEqual([]);
});

test("elements that show the same share one stream, and each hears it", () => {
  const world = new FakeWorld();
  const feeds = new Feeds(world);
  const first = following(world, source("nl-1"), feeds);
  const second = following(world, source("nl-1"), feeds);
  expect(world.streams.length).toBe(1);
  world.streams[0]?.say("ok");
  expect([first.heard, second.heard]).toEqual([["ok"], ["ok"]]);
});

test("the last element that leaves takes the stream, the timers and the eyes with it, a moment later", async () => {
  const world = new FakeWorld();
  const { end } = following(world);
  world.streams[0]?.say("ok");
  end();
  await world.pass(1_999);
  expect(world.open.length).toBe(1);
  await world.pass(1);
  expect([world.open.length, world.timers.size, world.eyes.size]).toEqual([0, 0, 0]);
});

test("an element that comes back within that moment finds its stream open and its news known", async () => {
  const world = new FakeWorld();
  const { end, feeds } = following(world);
  world.streams[0]?.say("ok");
  end();
  const again = following(world, source("nl-1"), feeds);
  await world.pass(2_000);
  expect(world.streams.length).toBe(1);
  expect(world.open.length).toBe(1);
  expect(again.feed.heard.news?.view).toBe("ok");
});

test("a page opens few streams to one aggregator; the other elements ask", async () => {
  const world = new FakeWorld();
  world.answer = { status: 200, body: '"asked"' };
  const feeds = new Feeds(world);
  const all = Array.from({ length: 10 }, (_, index) => following(world, source(`server-${index}`), feeds));
  await world.pass(0);
  expect(world.open.length).toBe(STREAMS_MAX);
  expect(world.asked.length).toBe(10 - STREAMS_MAX);
  expect(all.slice(STREAMS_MAX).every(({ heard }) => heard[0] === "asked")).toBe(true);
});

test("a stream that is free again is taken by one that asked", async () => {
  const world = new FakeWorld();
  world.answer = { status: 200, body: '"asked"' };
  const feeds = new Feeds(world);
  const all = Array.from({ length: STREAMS_MAX + 1 }, (_, index) => following(world, source(`server-${index}`), feeds));
  all[0]?.end();
  for (let second = 0; second < 45; second += 1) {
    for (const stream of world.open) stream.say("ok");
    await world.pass(1_000);
  }
  expect(world.open.map(({ url }) => url.slice(-1)).sort()).toEqual(["1", "2", "3", "4"]);
});
