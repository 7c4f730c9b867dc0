import { expect, test } from "vitest";
import { around, lineOf, nearest, neighbours, stepped, STEP_MS, within } from "./timeline";

const H = 3_600_000;
const ARCHIVE = { from_ms: 100 * H, to_ms: 110 * H };

test("a line is the end of the archive, and no longer than that", () => {
  expect(lineOf(ARCHIVE, 6)).toEqual({ from_ms: 104 * H, to_ms: 110 * H });
  expect(lineOf(ARCHIVE, 24)).toEqual(ARCHIVE);
  expect(lineOf(ARCHIVE, 0)).toEqual(ARCHIVE);
});

test("arrows go a minute, pages ten, and none past an end", () => {
  const at = 105 * H;
  expect(stepped("ArrowRight", at, ARCHIVE)).toBe(at + STEP_MS);
  expect(stepped("ArrowDown", at, ARCHIVE)).toBe(at - STEP_MS);
  expect(stepped("PageUp", at, ARCHIVE)).toBe(at + 10 * STEP_MS);
  expect(stepped("PageDown", ARCHIVE.from_ms + STEP_MS, ARCHIVE)).toBe(ARCHIVE.from_ms);
  expect(stepped("ArrowRight", ARCHIVE.to_ms, ARCHIVE)).toBe(ARCHIVE.to_ms);
  expect([stepped("Home", at, ARCHIVE), stepped("End", at, ARCHIVE)]).toEqual([ARCHIVE.from_ms, ARCHIVE.to_ms]);
  expect(stepped("Tab", at, ARCHIVE)).toBeNull();
});

test("a moment outside is taken to the nearest end", () => {
  expect([within(0, ARCHIVE), within(1e15, ARCHIVE)]).toEqual([ARCHIVE.from_ms, ARCHIVE.to_ms]);
});

const EVENTS = [10, 20, 20, 35, 60].map((at_ms, id) => ({ at_ms, id }));

function ids(at_ms: number) {
  const { before, after } = neighbours(EVENTS, at_ms);
  return [before?.id, after?.id];
}

test("the event before and the event after leave out those of the moment itself", () => {
  expect(ids(20)).toEqual([0, 3]);
  expect(ids(5)).toEqual([undefined, 0]);
  expect(ids(60)).toEqual([3, undefined]);
  expect(neighbours([], 60)).toEqual({ before: undefined, after: undefined });
});

test("the nearest event is found within reach only", () => {
  expect(nearest(EVENTS, 33, 5)?.id).toBe(3);
  expect(nearest(EVENTS, 12, 5)?.id).toBe(0);
  expect(nearest(EVENTS, 47, 5)).toBeUndefined();
});

test("around a moment there are as many events as asked for, if there are as many", () => {
  expect(around(EVENTS, 35, 3).map(({ id }) => id)).toEqual([2, 3, 4]);
  expect(around(EVENTS, 0, 3).map(({ id }) => id)).toEqual([0, 1, 2]);
  expect(around(EVENTS, 99, 3).map(({ id }) => id)).toEqual([2, 3, 4]);
  expect(around(EVENTS, 20, 9)).toEqual(EVENTS);
});
