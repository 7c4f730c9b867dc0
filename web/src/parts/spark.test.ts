import { expect, test } from "vitest";

import { path } from "./spark";

test("where nothing was measured, the line has a gap", () => {
  expect(path([0, 1, null, 1, 0], 0, 1).match(/M/g)).toHaveLength(2);
});

test("a value above the scale raises the scale and stays within the picture", () => {
  const heights = [...path([0, 50, 200], 0, 100).matchAll(/[ML][\d.]+ ([\d.]+)/g)].map(([, y]) => Number(y));
  expect(Math.min(...heights)).toBe(1);
  expect(Math.max(...heights)).toBe(15);
});

test("nothing measured draws nothing", () => {
  expect(path([null, null], 0, 1)).toBe("");
  expect(path([], 0, 1)).toBe("");
});
