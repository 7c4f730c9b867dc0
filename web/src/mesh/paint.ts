// Draws the cells in sight into a buffer of pixels, on the processor alone: it takes as long with a graphics card as without,
// and a test can look at what comes out. Three ways by the size of a cell in device pixels:
//
// - smaller than a pixel: each pixel has the gravest state of the cells under it, so that one red cell among a million is seen;
// - smaller than PITCH_PICTURED: a block of colour;
// - else: its picture, copied from the sprites.
//
// The cost is that of the window's pixels, never of the mesh's cells; only in the first way each cell is looked at once.

import type { Axis } from "./layout";
import { dotsOf, type Palette, type Pixel, type Sprites, spritesOf } from "./sprites";
import { codeOf, LOOKS, STATES } from "./states";

/** A cell of at least this many device pixels has a picture and a gap to its neighbour. */
export const PITCH_PICTURED = 4;

/** Sprites kept: a megabyte each on the densest screens. */
const SPRITES_MAX = 32;

/** Where the window is, in device pixels. */
export interface Window {
  readonly pitch: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Painted {
  readonly rows: Axis;
  readonly columns: Axis;
  readonly looks: Uint8Array;
}

export class Painter {
  readonly #palette: Palette;
  readonly #ratio: number;
  readonly #dots: Uint32Array;
  readonly #troubled: ReadonlySet<Pixel>;
  /** By side: zooming goes through many and comes back to them. */
  readonly #sprites = new Map<number, Sprites>();

  constructor(palette: Palette, ratio: number) {
    this.#palette = palette;
    this.#ratio = ratio;
    this.#dots = dotsOf(palette);
    const least = codeOf("failing");
    this.#troubled = new Set(this.#dots.filter((_, look) => (look & 7) >= least && (look & 7) < STATES.length));
  }

  /** The whole window; `pixels` has its width times its height. */
  paint(pixels: Uint32Array, window: Window, mesh: Painted): void {
    pixels.fill(this.#palette.paper);
    if (mesh.rows.count === 0 || mesh.columns.count === 0) return;
    if (window.pitch < 1) paintGravest(pixels, window, mesh, this.#dots);
    else if (window.pitch < PITCH_PICTURED) paintBlocks(pixels, window, mesh, this.#dots);
    else paintPictures(pixels, window, mesh, this.#spritesFor(window.pitch));
    this.#paintBreaks(pixels, window, mesh);
  }

  #spritesFor(pitch: number): Sprites {
    const gap = pitch >= 8 * this.#ratio ? Math.round(this.#ratio) : 1;
    const side = Math.floor(pitch) - gap;
    const known = this.#sprites.get(side);
    if (known) return known;
    if (this.#sprites.size >= SPRITES_MAX) this.#sprites.clear();
    const made = spritesOf(side, this.#palette, this.#ratio);
    this.#sprites.set(side, made);
    return made;
  }

  /**
   * Lines between countries always, between sites and servers where cells are large enough to bear it. They lie in the gaps;
   * where there are none, they give way to cells that do not see.
   */
  #paintBreaks(pixels: Uint32Array, window: Window, mesh: Painted): void {
    const size = window.pitch / this.#ratio;
    const drawn = (weight: number) => weight === 3 || (weight === 2 && size >= 7) || (weight === 1 && size >= 14);
    const thick = (weight: number) => (weight === 3 && size >= 2 ? Math.ceil(1.5 * this.#ratio) : 1);
    const colour = (weight: number) => (weight === 3 ? this.#palette.lineStrong : this.#palette.line);
    const shows = window.pitch < PITCH_PICTURED ? this.#troubled : new Set<Pixel>();
    const across = Math.min(window.width, Math.ceil(mesh.columns.count * window.pitch - window.x));
    const down = Math.min(window.height, Math.ceil(mesh.rows.count * window.pitch - window.y));
    for (const [at, weight] of breaksInSight(mesh.rows, window.y, window.height, window.pitch)) {
      if (!drawn(weight)) continue;
      for (let y = Math.max(0, at - thick(weight)); y < at; y += 1) {
        const line = y * window.width;
        for (let x = line; x < line + across; x += 1) if (!shows.has(pixels[x] as Pixel)) pixels[x] = colour(weight);
      }
    }
    for (const [at, weight] of breaksInSight(mesh.columns, window.x, window.width, window.pitch)) {
      if (!drawn(weight)) continue;
      for (let x = Math.max(0, at - thick(weight)); x < at; x += 1) {
        for (let at = x; at < down * window.width; at += window.width) if (!shows.has(pixels[at] as Pixel)) pixels[at] = colour(weight);
      }
    }
  }
}

/** The pixel at which each place begins, one more for the end of the last. */
function edges(count: number, from: number, to: number, pitch: number, offset: number): Int32Array {
  const found = new Int32Array(to - from + 1);
  for (let place = from; place <= Math.min(to, count); place += 1) found[place - from] = Math.floor(place * pitch - offset);
  return found;
}

function inSight(count: number, offset: number, length: number, pitch: number): [number, number] {
  const from = Math.max(0, Math.floor(offset / pitch));
  return [from, Math.max(from, Math.min(count, Math.ceil((offset + length) / pitch)))];
}

function* breaksInSight(axis: Axis, offset: number, length: number, pitch: number): Generator<[number, number]> {
  const [from, to] = inSight(axis.count, offset, length, pitch);
  for (let place = Math.max(1, from); place < to; place += 1) {
    const weight = axis.breaks[place] as number;
    if (weight > 0) yield [Math.floor(place * pitch - offset), weight];
  }
}

/** By look, how grave it is: by state, and among equals the plain one first. */
const GRAVITY = Uint8Array.from({ length: LOOKS }, (_, look) => ((look & 7) << 2) | (3 - (look >> 3)));
const LOOK_OF_GRAVITY = Uint8Array.from({ length: LOOKS }, (_, gravity) => (gravity >> 2) | ((3 - (gravity & 3)) << 3));

function paintGravest(pixels: Uint32Array, window: Window, mesh: Painted, dots: Uint32Array): void {
  const { pitch, x, y, width, height } = window;
  const [left, right] = inSight(mesh.columns.count, x, width, pitch);
  const [top, bottom] = inSight(mesh.rows.count, y, height, pitch);
  const pixelOf = edges(mesh.columns.count, left, right, pitch, x);
  const line = new Uint8Array(width);
  const end = Math.min(width, (pixelOf[right - left - 1] ?? -1) + 1);
  let row = top;
  while (row < bottom) {
    const at = Math.floor(row * pitch - y);
    line.fill(0);
    for (; row < bottom && Math.floor(row * pitch - y) === at; row += 1) {
      const from = row * mesh.columns.count;
      for (let column = left; column < right; column += 1) {
        const pixel = pixelOf[column - left] as number;
        const gravity = GRAVITY[mesh.looks[from + column] as number] as number;
        if (gravity > (line[pixel] as number)) line[pixel] = gravity;
      }
    }
    if (at < 0 || at >= height) continue;
    for (let pixel = 0; pixel < end; pixel += 1) {
      pixels[at * width + pixel] = dots[LOOK_OF_GRAVITY[line[pixel] as number] as number] as Pixel;
    }
  }
}

function paintBlocks(pixels: Uint32Array, window: Window, mesh: Painted, dots: Uint32Array): void {
  const { pitch, x, y, width, height } = window;
  const [left, right] = inSight(mesh.columns.count, x, width, pitch);
  const [top, bottom] = inSight(mesh.rows.count, y, height, pitch);
  const across = edges(mesh.columns.count, left, right, pitch, x);
  for (let row = top; row < bottom; row += 1) {
    const from = Math.max(0, Math.floor(row * pitch - y));
    const to = Math.min(height, Math.floor((row + 1) * pitch - y));
    if (from >= to) continue;
    const looks = row * mesh.columns.count;
    const line = from * width;
    for (let column = left; column < right; column += 1) {
      const colour = dots[mesh.looks[looks + column] as number] as Pixel;
      const end = Math.min(width, across[column - left + 1] as number);
      for (let pixel = Math.max(0, across[column - left] as number); pixel < end; pixel += 1) pixels[line + pixel] = colour;
    }
    for (let copy = from + 1; copy < to; copy += 1) pixels.copyWithin(copy * width, line, line + width);
  }
}

function paintPictures(pixels: Uint32Array, window: Window, mesh: Painted, { side, pixels: pictures }: Sprites): void {
  const { pitch, x, y, width, height } = window;
  const [left, right] = inSight(mesh.columns.count, x, width, pitch);
  const [top, bottom] = inSight(mesh.rows.count, y, height, pitch);
  const across = edges(mesh.columns.count, left, right, pitch, x);
  for (let row = top; row < bottom; row += 1) {
    const begin = Math.floor(row * pitch - y);
    const looks = row * mesh.columns.count;
    for (let down = Math.max(0, -begin); down < side && begin + down < height; down += 1) {
      const line = (begin + down) * width;
      for (let column = left; column < right; column += 1) {
        const at = across[column - left] as number;
        const picture = ((mesh.looks[looks + column] as number) * side + down) * side;
        const end = Math.min(side, width - at);
        for (let over = Math.max(0, -at); over < end; over += 1) pixels[line + at + over] = pictures[picture + over] as Pixel;
      }
    }
  }
}
