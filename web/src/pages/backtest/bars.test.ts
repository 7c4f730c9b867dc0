import { expect, test } from "vitest";
import { barOf } from "./bars";

test("a span lies where its time lies", () => {
  expect(barOf({ from_ms: 200, to_ms: 300 }, 100, 500, 400)).toEqual({ x: 100, width: 100 });
});

test("a moment is wide enough to be seen, at the end of the line too", () => {
  expect(barOf({ from_ms: 500, to_ms: 500 }, 100, 500, 400)).toEqual({ x: 398, width: 2 });
  expect(barOf({ from_ms: 300, to_ms: 300 }, 100, 500, 400).width).toBe(2);
});

test("what reaches beyond the line ends with it", () => {
  expect(barOf({ from_ms: 0, to_ms: 900 }, 100, 500, 400)).toEqual({ x: 0, width: 400 });
});
