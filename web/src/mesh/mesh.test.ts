import { expect, test } from "vitest";
import { cellAt, changedRows, meshOf, sameShape } from "./mesh";
import { sample } from "./sample";
import { FADED, HATCHED, stateOf } from "./states";

test("a cell stands where its witness and its target stand", () => {
  const packed = sample(40);
  const mesh = meshOf(packed);
  for (const [row, { witness }] of mesh.witnesses.entries()) {
    for (const [column, { entry_point }] of mesh.targets.entries()) {
      const from = packed.header.rows.findIndex((one) => one.witness === witness);
      const to = packed.header.columns.findIndex((one) => one.entry_point === entry_point);
      expect(cellAt(mesh, row, column)).toBe(packed.cells[from * 40 + to]);
    }
  }
});

test("a discredited row is hatched on the lanes of that alone, a silent one is faded on all", () => {
  const packed = sample(20);
  const columns = packed.header.columns.map((column, at) => ({ ...column, lane: at % 2 ? "udp4" : "tcp4" }));
  const mesh = meshOf({ ...packed, header: { ...packed.header, columns } });
  const discredited = mesh.witnesses.findIndex(({ discredited: lanes }) => lanes?.includes("tcp4"));
  const silent = mesh.witnesses.findIndex(({ silent: is }) => is);
  for (const [column, { lane }] of mesh.targets.entries()) {
    const look = (row: number) => mesh.looks[row * 20 + column] as number;
    expect(Boolean(look(discredited) & HATCHED)).toBe(lane === "tcp4");
    expect(look(silent) & FADED).toBe(FADED);
    expect(stateOf(look(silent))).toBe(stateOf(cellAt(mesh, silent, column)));
  }
});

test("states are counted", () => {
  const mesh = meshOf(sample(50));
  expect(mesh.counts.not_probed).toBe(50);
  expect(Object.values(mesh.counts).reduce((sum, count) => sum + count)).toBe(2500);
});

test("only rows that look different have changed", () => {
  const [before, after] = [meshOf(sample(30)), meshOf(sample(30))];
  expect(changedRows(before, after)).toEqual([]);
  for (const at of [17 * 30 + 4, 29 * 30]) after.looks[at] = (after.looks[at] as number) ^ 1;
  expect(changedRows(before, after)).toEqual([17, 29]);
});

test("a mesh with another server has another shape", () => {
  expect(sameShape(meshOf(sample(30)), meshOf(sample(30, 1)))).toBe(true);
  expect(sameShape(meshOf(sample(30)), meshOf(sample(31)))).toBe(false);
});
