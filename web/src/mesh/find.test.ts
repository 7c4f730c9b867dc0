import { expect, test } from "vitest";
import { findCells } from "./find";
import { meshOf } from "./mesh";
import { sample } from "./sample";
import { codeOf, stateOf } from "./states";

const MESH = meshOf(sample(80));

test("what cannot see comes before what merely fails", () => {
  const { cells, count } = findCells(MESH, "", true, 1e6);
  const codes = cells.map(({ cell }) => cell & 7);
  expect(codes).toEqual(codes.toSorted((a, b) => b - a));
  expect(count).toBe(MESH.counts.failing + MESH.counts.held + MESH.counts.sustained);
  expect(Math.min(...codes)).toBe(codeOf("failing"));
});

test("a name finds its row and its column, and no other", () => {
  const { cells } = findCells(MESH, " NL-3 ", false, 1e6);
  expect(cells.length).toBeGreaterThan(100);
  for (const { row, column } of cells) expect(`${MESH.rows.names[row]} ${MESH.columns.names[column]}`).toMatch(/nl-3\b/);
});

test("the limit cuts what is shown, not what is counted", () => {
  const { cells, count } = findCells(MESH, "", false, 10);
  expect(cells.length).toBe(10);
  expect(count).toBe(80 * 80 - MESH.counts.not_probed);
  expect(cells.every(({ cell }) => stateOf(cell) === "sustained")).toBe(true);
});
