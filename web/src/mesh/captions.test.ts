import { expect, test } from "vitest";
import { figureOf } from "./captions";
import { meshOf } from "./mesh";
import { sample } from "./sample";
import { codeOf } from "./states";

const MESH = meshOf(sample(60));
const named = (prefix: string) => MESH.rows.names.filter((name) => name.startsWith(prefix));

test("a block is where its countries meet", () => {
  const [russians, dutch] = [named("ru-"), named("nl-")];
  const figure = figureOf(MESH, { parts: [{ witnesses: russians, targets: dutch.map((id) => `${id}/tls`) }] });
  const rows = MESH.rows.countries.find(({ name }) => name === "RU");
  const columns = MESH.columns.countries.find(({ name }) => name === "NL");
  expect(figure?.rows).toEqual({ from: rows?.from, to: rows?.to });
  expect(figure?.columns).toEqual({ from: columns?.from, to: columns?.to });
});

test("its first cell is one that does not see", () => {
  const figure = figureOf(MESH, { parts: [{ witnesses: [...MESH.rows.names], targets: [...MESH.columns.names] }] });
  const { row, column } = figure?.first ?? { row: 0, column: 0 };
  expect((MESH.looks[row * 60 + column] as number) & 7).toBeGreaterThanOrEqual(codeOf("held"));
});

test("a caption about servers that are gone is nowhere", () => {
  expect(figureOf(MESH, { parts: [{ witnesses: ["gone"], targets: ["nl-1/tls"] }] })).toBeNull();
  expect(figureOf(MESH, { parts: [] })).toBeNull();
});
