import { describe, expect, test } from "vitest";
import { boxOf, columnsInSight, fit, framed, hit, panned, PITCH_MAX, resized, revealed, rowsInSight, zoomed } from "./viewport";

const WHOLE = fit(1000, 1000, 1280, 700);

test("a fresh view has all in sight, and a small mesh is not blown up", () => {
  expect(WHOLE.pitch).toBeCloseTo(0.7);
  expect([rowsInSight(WHOLE), columnsInSight(WHOLE)]).toEqual([{ from: 0, to: 1000 }, { from: 0, to: 1000 }]);
  expect(fit(4, 4, 1280, 700).pitch).toBe(30);
});

test("what is under the pointer stays there while zooming", () => {
  const at = { x: 333, y: 444 };
  let view = WHOLE;
  for (const factor of [4, 3, 2, 0.7, 1.9]) {
    const before = [(at.x + view.x) / view.pitch, (at.y + view.y) / view.pitch];
    view = zoomed(view, factor, at);
    expect((at.x + view.x) / view.pitch).toBeCloseTo(before[0] as number, 6);
    expect((at.y + view.y) / view.pitch).toBeCloseTo(before[1] as number, 6);
  }
});

test("zooming ends at a finger's width and at the whole", () => {
  expect(zoomed(WHOLE, 1e6, { x: 0, y: 0 }).pitch).toBe(PITCH_MAX);
  expect(zoomed(zoomed(WHOLE, 50, { x: 9, y: 9 }), 1e-6, { x: 900, y: 600 })).toEqual(WHOLE);
});

test("panning ends at the edges", () => {
  const near = zoomed(WHOLE, 20, { x: 0, y: 0 });
  expect(panned(near, -1e9, -1e9)).toMatchObject({ x: 0, y: 0 });
  const end = panned(near, 1e9, 1e9);
  expect([rowsInSight(end).to, columnsInSight(end).to]).toEqual([1000, 1000]);
  expect(end.x + end.width).toBeCloseTo(1000 * end.pitch);
});

describe("a hit is the inverse of the box", () => {
  const view = panned(zoomed(WHOLE, 17.3, { x: 200, y: 300 }), 555, 777);
  test.each([[0.01, 0.01], [0.5, 0.5], [0.99, 0.99]])("at %f, %f of a cell", (across, down) => {
    const columns = columnsInSight(view);
    const rows = rowsInSight(view);
    for (let row = rows.from; row < rows.to; row += 7) {
      for (let column = columns.from; column < columns.to; column += 7) {
        const box = boxOf(view, { row, column });
        expect(hit(view, box.x + across * box.side, box.y + down * box.side)).toEqual({ row, column });
      }
    }
  });
});

test("beside a small mesh nothing is hit", () => {
  const view = fit(4, 4, 1280, 700);
  expect(hit(view, 4 * 30 + 1, 5)).toBeNull();
  expect(hit(view, 5, 4 * 30 + 1)).toBeNull();
  expect(hit(view, -1, 5)).toBeNull();
});

test("a cell is brought into sight by the shortest way", () => {
  const near = zoomed(WHOLE, 20, { x: 640, y: 350 });
  expect(revealed(near, { row: rowsInSight(near).from + 3, column: columnsInSight(near).from + 3 })).toEqual(near);
  const moved = revealed(near, { row: 0, column: 999 });
  expect(boxOf(moved, { row: 0, column: 999 })).toMatchObject({ y: 0 });
  expect(columnsInSight(moved).to).toBe(1000);
});

test("a block fills the window when it is framed", () => {
  const view = framed(WHOLE, { from: 700, to: 800 }, { from: 400, to: 500 });
  expect(rowsInSight(view).from).toBeLessThanOrEqual(700);
  expect(rowsInSight(view).to).toBeGreaterThanOrEqual(800);
  expect(rowsInSight(view).to - rowsInSight(view).from).toBeLessThan(120);
  expect(columnsInSight(view).from).toBeLessThanOrEqual(400);
});

test("a whole view stays whole in a window of another size, a part keeps its size of cells", () => {
  expect(resized(WHOLE, 390, 600)).toEqual(fit(1000, 1000, 390, 600));
  const near = zoomed(WHOLE, 20, { x: 640, y: 350 });
  expect(resized(near, 390, 600).pitch).toBe(near.pitch);
});
