import { expect, test } from "vitest";

import { parsed, readBadge, readRoute } from "./view";

const whole = {
  server: "nl-1",
  country: "NL",
  status: "down",
  text: "Server unavailable",
  label: { key: "down", values: {} },
  reason: "it says so itself",
  since_ms: 1_796_023_601_000,
  stale: false,
  evaluated_at_ms: 1_796_023_714_441,
  fresh_for_ms: 30_000,
};

test("a badge is read as the aggregator says it", () => {
  expect(readBadge(whole)).toEqual({
    server: "nl-1",
    country: "NL",
    status: "down",
    text: "Server unavailable",
    label: { key: "down" },
    reason: "it says so itself",
    since_ms: 1_796_023_601_000,
    stale: false,
    fresh_for_ms: 30_000,
  });
});

test("a label that cannot be read leaves the text", () => {
  const view = readBadge({ ...whole, label: { key: "down" } });
  expect(view?.label).toBeUndefined();
  expect(view?.text).toBe("Server unavailable");
});

test("an unknown status, a missing text and another type are no badge", () => {
  expect(readBadge({ ...whole, status: "splendid" })).toBeUndefined();
  expect(readBadge({ ...whole, text: 7 })).toBeUndefined();
  for (const json of [null, 7, "ok", [whole]]) expect(readBadge(json)).toBeUndefined();
});

test("for how long news are fresh has bounds, whatever is said", () => {
  const freshFor = (ms: unknown): number | undefined => readBadge({ ...whole, fresh_for_ms: ms })?.fresh_for_ms;
  expect([-5, 0, 1_999, 2_000, 3_600_000, 3_600_001, 1e300].map(freshFor)).toEqual([
    2_000, 2_000, 2_000, 2_000, 3_600_000, 3_600_000, 3_600_000,
  ]);
  expect([null, "30000", Number.NaN, undefined].map(freshFor)).toEqual([30_000, 30_000, 30_000, 30_000]);
});

test("a route keeps its order, and one bad server spoils it", () => {
  expect(readRoute({ route: "eu", servers: [whole, { ...whole, server: "de-1" }] })?.servers.map(({ server }) => server)).toEqual(["nl-1", "de-1"]);
  expect(readRoute({ route: "eu", servers: [whole, {}] })).toBeUndefined();
  expect(readRoute({ route: "eu" })).toBeUndefined();
});

test("a page of HTML where JSON was expected is nothing", () => {
  expect(parsed("<html>502</html>", readBadge)).toBeUndefined();
  expect(parsed(JSON.stringify(whole), readBadge)?.server).toBe("nl-1");
});
