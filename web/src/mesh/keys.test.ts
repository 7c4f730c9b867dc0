import { expect, test } from "vitest";
import { nextTrouble, stepped } from "./keys";
import { meshOf } from "./mesh";
import { sample } from "./sample";
import { fit, zoomed } from "./viewport";

const MESH = meshOf(sample(100));
const VIEW = zoomed(fit(100, 100, 600, 400), 5, { x: 0, y: 0 });
const press = (key: string, from: { row: number; column: number }, held: { shift?: boolean; control?: boolean } = {}) =>
  stepped({ key, shift: false, control: false, ...held }, from, VIEW, MESH);

test("arrows go one cell, with Shift ten, and no further than the edge", () => {
  expect(press("ArrowDown", { row: 4, column: 7 })).toEqual({ row: 5, column: 7 });
  expect(press("ArrowRight", { row: 4, column: 7 }, { shift: true })).toEqual({ row: 4, column: 17 });
  expect(press("ArrowUp", { row: 0, column: 7 })).toEqual({ row: 0, column: 7 });
  expect(press("ArrowRight", { row: 4, column: 95 }, { shift: true })).toEqual({ row: 4, column: 99 });
});

test("Home and End run along the row, with Control to the corners", () => {
  expect(press("End", { row: 4, column: 7 })).toEqual({ row: 4, column: 99 });
  expect(press("Home", { row: 4, column: 7 }, { control: true })).toEqual({ row: 0, column: 0 });
  expect(press("End", { row: 4, column: 7 }, { control: true })).toEqual({ row: 99, column: 99 });
});

test("a page is what is in sight", () => {
  expect(press("PageDown", { row: 4, column: 7 })).toEqual({ row: 24, column: 7 });
  expect(press("PageUp", { row: 4, column: 7 })).toEqual({ row: 0, column: 7 });
});

test("other keys lead nowhere", () => {
  for (const key of ["Enter", "a", "Tab", "Escape"]) expect(press(key, { row: 4, column: 7 })).toBeNull();
});

test("N visits every cell that does not see, and comes round", () => {
  const count = MESH.counts.failing + MESH.counts.held + MESH.counts.sustained;
  const seen = new Set<number>();
  let at = { row: 0, column: 0 };
  for (let turn = 0; turn < count; turn += 1) {
    at = nextTrouble(MESH, at, 1);
    seen.add(at.row * 100 + at.column);
  }
  expect(seen.size).toBe(count);
  const first = nextTrouble(MESH, { row: 0, column: 0 }, 1);
  expect(nextTrouble(MESH, at, 1)).toEqual(first);
  expect(nextTrouble(MESH, first, -1)).toEqual(at);
});

test("where all see, N stays", () => {
  const well = meshOf(sample(10));
  well.looks.fill(2);
  expect(nextTrouble(well, { row: 3, column: 4 }, 1)).toEqual({ row: 3, column: 4 });
});
