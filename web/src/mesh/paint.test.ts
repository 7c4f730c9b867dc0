import { describe, expect, test } from "vitest";
import { meshOf } from "./mesh";
import { Painter, type Window } from "./paint";
import { sample } from "./sample";
import { dotsOf, type Palette, spritesOf } from "./sprites";
import { codeOf, HATCHED, STATES, type State } from "./states";

const each = (colour: (at: number) => number) => Object.fromEntries(STATES.map((state, at) => [state, colour(at)])) as Record<State, number>;
const PALETTE: Palette = {
  paper: 0xff000000, line: 0xff111111, lineStrong: 0xff222222,
  fill: each((at) => 0xff000030 + at * 0x10), ink: each((at) => 0xff00ff00 + at),
};
const DOTS = dotsOf(PALETTE);

function painted(size: number, window: Window, edit: (looks: Uint8Array) => void = () => {}): Uint32Array {
  const mesh = meshOf(sample(size));
  mesh.looks.fill(codeOf("sees"));
  edit(mesh.looks);
  const pixels = new Uint32Array(window.width * window.height);
  new Painter(PALETTE, 1).paint(pixels, window, mesh);
  return pixels;
}

function patchwork(looks: Uint8Array): void {
  for (const at of looks.keys()) looks[at] = at % 6;
}

describe("one cell that cannot see among a hundred thousand is in sight", () => {
  test.each([0.2, 0.37, 0.9999, 1, 1.5, 3.99])("at %f pixels a cell", (pitch) => {
    const size = 317;
    const side = Math.ceil(size * pitch);
    const window = { pitch, x: 0, y: 0, width: side, height: side };
    for (const at of [0, 316, 50_123, 317 * 317 - 1]) {
      const pixels = painted(size, window, (looks) => (looks[at] = codeOf("sustained")));
      const [row, column] = [Math.floor(at / size), at % size];
      expect(pixels[Math.floor(row * pitch) * side + Math.floor(column * pitch)]).toBe(DOTS[codeOf("sustained")]);
      expect(pixels.filter((pixel) => pixel === DOTS[codeOf("sustained")]).length).toBeLessThanOrEqual(Math.ceil(pitch) ** 2);
    }
  });
});

test("every pixel over the mesh is drawn and none beside it", () => {
  for (const pitch of [0.5, 1.7, 3.2]) {
    const window = { pitch, x: 0, y: 0, width: 300, height: 200 };
    const pixels = painted(100, window);
    const end = Math.floor(100 * pitch);
    const isOver = (at: number) => at % 300 < end && Math.floor(at / 300) < end;
    const wrong = [...pixels.keys()].filter((at) => (pixels[at] === PALETTE.paper) === isOver(at));
    expect(wrong, `at ${pitch}`).toEqual([]);
  }
});

test("a window into the middle shows what the whole shows there", () => {
  for (const pitch of [0.5, 2.3, 6.7, 17]) {
    const side = Math.ceil(60 * pitch);
    const whole = painted(60, { pitch, x: 0, y: 0, width: side, height: side }, patchwork);
    const [x, y] = [Math.floor(side / 3), Math.floor(side / 4)];
    const part = painted(60, { pitch, x, y, width: 20, height: 10 }, patchwork);
    const there = part.map((_, at) => whole[(y + Math.floor(at / 20)) * side + x + (at % 20)] as number);
    expect(part).toEqual(there);
  }
});

test("large cells have a shape each, and no two the same", () => {
  const { pixels } = spritesOf(16, PALETTE, 1);
  const shapes = STATES.map((state, code) =>
    [...pixels.subarray(code * 256, (code + 1) * 256)].map((pixel) => (pixel === PALETTE.fill[state] ? "." : "#")).join(""),
  );
  expect(new Set(shapes).size).toBe(STATES.length);
  for (const shape of shapes) expect(shape).toMatch(/#/);
});

test("what is discredited looks different from what is not at every size", () => {
  for (const side of [3, 9, 24]) {
    const { pixels } = spritesOf(side, PALETTE, 1);
    const picture = (look: number) => [...pixels.subarray(look * side * side, (look + 1) * side * side)].join();
    for (const code of STATES.keys()) expect(picture(code)).not.toBe(picture(code | HATCHED));
  }
  for (const code of STATES.keys()) expect(DOTS[code]).not.toBe(DOTS[code | HATCHED]);
});

test("lines part countries", () => {
  const mesh = meshOf(sample(20));
  mesh.looks.fill(codeOf("sees"));
  const pixels = new Uint32Array(200 * 200);
  new Painter(PALETTE, 1).paint(pixels, { pitch: 10, x: 0, y: 0, width: 200, height: 200 }, mesh);
  const second = mesh.rows.countries[1]?.from as number;
  expect(pixels[(second * 10 - 1) * 200 + 55]).toBe(PALETTE.lineStrong);
  expect(pixels[55 * 200 + second * 10 - 1]).toBe(PALETTE.lineStrong);
});
