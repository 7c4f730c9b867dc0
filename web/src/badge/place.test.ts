import { expect, test } from "vitest";

import { place } from "./place";

const WINDOW = { width: 390, height: 800 };
const TIP = { width: 200, height: 80 };

test("the reason opens under its badge, at its left edge", () => {
  expect(place({ left: 20, top: 100, width: 60, height: 24 }, TIP, WINDOW)).toEqual({ left: 20, top: 128 });
});

test("near the right edge it moves in", () => {
  expect(place({ left: 320, top: 100, width: 60, height: 24 }, TIP, WINDOW).left).toBe(182);
});

test("near the bottom it opens over the badge", () => {
  expect(place({ left: 20, top: 760, width: 60, height: 24 }, TIP, WINDOW).top).toBe(676);
});

test("where there is room on neither side it stays in the window", () => {
  expect(place({ left: 20, top: 30, width: 60, height: 24 }, TIP, { width: 150, height: 90 })).toEqual({ left: 8, top: 8 });
});

test("from right to left the right edges meet", () => {
  expect(place({ left: 220, top: 100, width: 60, height: 24 }, TIP, WINDOW, true).left).toBe(80);
});
