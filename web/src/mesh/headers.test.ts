import { expect, test } from "vitest";
import { labelsOf } from "./headers";
import { meshOf } from "./mesh";
import { sample } from "./sample";

const { rows } = meshOf(sample(100));

test("far away there are countries alone, nearer their sites, nearest names", () => {
  const far = labelsOf(rows, 0.8, 0, 600);
  expect([far.countries.length, far.sites.length, far.names.length]).toEqual([10, 0, 0]);
  const nearer = labelsOf(rows, 5, 0, 600);
  expect(nearer.sites.length).toBeGreaterThan(10);
  expect(nearer.names).toEqual([]);
  const nearest = labelsOf(rows, 20, 0, 600);
  expect(nearest.sites).toEqual([]);
  expect(nearest.names.map(({ text }) => text)).toEqual(rows.names.slice(0, 30));
});

test("a country stays named while one scrolls through it, within the part that is in sight", () => {
  const { countries } = labelsOf(rows, 20, 150, 300);
  expect(countries.map(({ text, from, to }) => [text, from, to])).toEqual([["DE", 0, 50], ["FI", 50, 250], ["FR", 250, 300]]);
});

test("names stand beside their cells, however far one has scrolled", () => {
  const { names } = labelsOf(rows, 20, 1990, 300);
  expect(names.at(-1)).toMatchObject({ text: rows.names[99], place: 99, from: -10, to: 10 });
});
