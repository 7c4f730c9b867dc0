import { expect, test } from "vitest";

import { spread, wait } from "./backoff";

const BACKOFF = { first_ms: 2_000, most_ms: 60_000 };

test("each failure in a row doubles the wait, to a limit", () => {
  expect([1, 2, 3, 4, 5, 6, 7, 1_000].map((failures) => wait(BACKOFF, failures, 1))).toEqual([
    2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000,
  ]);
});

test("the dice spread a wait over its upper half", () => {
  expect([0, 0.5, 1].map((dice) => wait(BACKOFF, 1, dice))).toEqual([1_000, 1_500, 2_000]);
  expect(spread(10_000, 0)).toBe(5_000);
});
