// The pictures of cells, made once for a size and a palette, and copied as often as cells are in sight. One for each look: a
// state, hatched where its witness was discredited on the lane, faded where its witness is silent.

import { inShape } from "./shapes";
import { FADED, HATCHED, LOOKS, STATES, type State } from "./states";

/** A colour as canvas pixels have it: 0xAABBGGRR. */
export type Pixel = number;

export interface Palette {
  readonly paper: Pixel;
  readonly line: Pixel;
  readonly lineStrong: Pixel;
  readonly fill: Readonly<Record<State, Pixel>>;
  readonly ink: Readonly<Record<State, Pixel>>;
}

export interface Sprites {
  /** Device pixels of a side. */
  readonly side: number;
  /** By look, `side * side` pixels. */
  readonly pixels: Uint32Array;
}

/** Below this side, in CSS pixels, a shape would be a blot: the cell is its colour alone. */
export const SIDE_SHAPED = 9;

const SAMPLES = 4;

export function spritesOf(side: number, palette: Palette, ratio: number): Sprites {
  const pixels = new Uint32Array(LOOKS * side * side);
  const shaped = side >= SIDE_SHAPED * ratio;
  for (const [code, state] of STATES.entries()) {
    const plain = picture(state, side, palette, shaped);
    for (const flags of [0, HATCHED, FADED, HATCHED | FADED]) {
      let look = plain;
      if (flags & HATCHED) look = hatched(look, side, palette.paper, ratio);
      if (flags & FADED) look = look.map((pixel) => mixed(pixel, palette.paper, 0.55));
      pixels.set(look, (code | flags) * side * side);
    }
  }
  return { side, pixels };
}

/** By look, the colour of a cell too small for a picture. */
export function dotsOf(palette: Palette): Uint32Array {
  const dots = new Uint32Array(LOOKS).fill(palette.paper);
  for (const [code, state] of STATES.entries()) {
    for (const flags of [0, HATCHED, FADED, HATCHED | FADED]) {
      const less = (flags & HATCHED ? 0.35 : 0) + (flags & FADED ? 0.4 : 0);
      dots[code | flags] = mixed(palette.fill[state], palette.paper, less);
    }
  }
  return dots;
}

function picture(state: State, side: number, palette: Palette, shaped: boolean): Uint32Array {
  const pixels = new Uint32Array(side * side).fill(palette.fill[state]);
  if (!shaped) return pixels;
  const thin = Math.max(0.13, 1.15 / side);
  for (let y = 0; y < side; y += 1) {
    for (let x = 0; x < side; x += 1) {
      const share = covered(state, x, y, side, thin);
      if (share > 0) pixels[y * side + x] = mixed(palette.fill[state], palette.ink[state], share);
    }
  }
  return pixels;
}

/** How much of a pixel is in the shape. */
function covered(state: State, x: number, y: number, side: number, thin: number): number {
  const step = 2 / (side * SAMPLES);
  const [left, top] = [(2 * x) / side - 1 + step / 2, (2 * y) / side - 1 + step / 2];
  let inside = 0;
  for (let down = 0; down < SAMPLES; down += 1) {
    for (let over = 0; over < SAMPLES; over += 1) {
      if (inShape(state, left + over * step, top + down * step, thin)) inside += 1;
    }
  }
  return inside / (SAMPLES * SAMPLES);
}

function hatched(pixels: Uint32Array, side: number, paper: Pixel, ratio: number): Uint32Array {
  const period = Math.max(3, Math.round(5 * ratio));
  const isStripe = (at: number) => ((at % side) + Math.floor(at / side)) % period < period / 3;
  return pixels.map((pixel, at) => (isStripe(at) ? mixed(pixel, paper, 0.85) : pixel));
}

/** From one colour to another by a share, opaque. */
export function mixed(from: Pixel, to: Pixel, share: number): Pixel {
  return (0xff000000 | channel(from, to, share, 16) | channel(from, to, share, 8) | channel(from, to, share, 0)) >>> 0;
}

function channel(from: Pixel, to: Pixel, share: number, shift: number): number {
  const [a, b] = [(from >>> shift) & 255, (to >>> shift) & 255];
  return Math.round(a + (b - a) * share) << shift;
}
