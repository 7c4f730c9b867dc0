import { expect, test } from "vitest";
import { join, pack, unpack } from "./packed";
import { sample } from "./sample";
import { STATES, stateOf, streakOf } from "./states";

test("what was packed is unpacked again", () => {
  const packed = sample(23);
  const read = unpack(pack(packed));
  expect(read.header).toEqual(packed.header);
  expect(read.cells).toEqual(packed.cells);
});

test("a cell has its state below and its streak above", () => {
  expect(STATES.map((_, code) => stateOf(code | (9 << 3)))).toEqual(STATES);
  expect(streakOf(5 | (31 << 3))).toBe(31);
});

test("what is no packed matrix, or a part of one, is refused with a reason", () => {
  const whole = pack(sample(5));
  expect(() => unpack(new ArrayBuffer(3))).toThrow("no packed matrix");
  expect(() => unpack(new TextEncoder().encode('{"title":"Not Found"}').buffer)).toThrow("no packed matrix");
  expect(() => unpack(whole.slice(0, 40))).toThrow("cut off within its header");
  expect(() => unpack(whole.slice(0, -1))).toThrow("24 cells where its header announces 25");
});

test("pages join to the whole, unless the fleet changed between them", () => {
  const whole = sample(6);
  const page = (from: number, to: number) => ({
    header: { ...whole.header, rows: whole.header.rows.slice(from, to) },
    cells: whole.cells.slice(from * 6, to * 6),
  });
  expect(join([page(0, 4), page(4, 6)])).toEqual(whole);
  const other = sample(7);
  expect(join([page(0, 4), { header: { ...other.header, rows: [] }, cells: new Uint8Array() }])).toBeNull();
});
