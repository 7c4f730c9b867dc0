import { expect, test } from "vitest";

import { freshness, passed, type Instant } from "./freshness";

const heard: Instant = { monotonic_ms: 1_000, wall_ms: 500_000 };

function later(ms: number): Instant {
  return { monotonic_ms: heard.monotonic_ms + ms, wall_ms: heard.wall_ms + ms };
}

test("news are believed to the end of their time, and not a millisecond longer", () => {
  expect(freshness(heard, 30_000, later(30_000)).old).toBe(false);
  expect(freshness(heard, 30_000, later(30_001)).old).toBe(true);
});

test("what is fresh is looked at again when it turns old", () => {
  const { look_again_in_ms } = freshness(heard, 30_000, later(12_000));
  expect(freshness(heard, 30_000, later(12_000 + look_again_in_ms)).old).toBe(true);
  expect(freshness(heard, 30_000, later(12_000 + look_again_in_ms - 1)).old).toBe(false);
});

test("what is old is looked at again when its age reads differently", () => {
  expect(freshness(heard, 30_000, later(45_300)).look_again_in_ms).toBe(700);
  expect(freshness(heard, 30_000, later(61_000)).look_again_in_ms).toBe(59_000);
});

test("a laptop that slept, its monotonic clock with it, wakes with an old badge", () => {
  expect(freshness(heard, 30_000, { monotonic_ms: 1_500, wall_ms: heard.wall_ms + 3_600_000 }).old).toBe(true);
});

test("a wall clock that is set back keeps nothing young", () => {
  expect(freshness(heard, 30_000, { monotonic_ms: 41_000, wall_ms: 0 }).age_ms).toBe(40_000);
});

test("no time is negative", () => {
  expect(passed(heard, { monotonic_ms: 0, wall_ms: 0 })).toBe(0);
});
