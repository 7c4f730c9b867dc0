// Puts a mesh on its canvases: the cells by the painter, the headers as text, the cursor as a box above them. It keeps what is
// costly to make (pixels, sprites, colours) until the size or the theme changes, and draws all that is in sight each time.

import { drawHeading, GUTTER, STRIP } from "./headlines";
import type { Mesh } from "./mesh";
import { Painter } from "./paint";
import { paletteOf } from "./palette";
import { type Ink, inkOf, type Remark, targetRemarks, witnessRemarks } from "./remarks";
import { boxOf, type Place, type View } from "./viewport";

export interface Parts {
  readonly cells: HTMLCanvasElement;
  readonly rows: HTMLCanvasElement;
  readonly columns: HTMLCanvasElement;
  readonly cursor: HTMLElement;
  /** An element that wears the host's colours. */
  readonly probe: HTMLElement;
}

export interface Scene {
  readonly mesh: Mesh;
  readonly view: View;
  readonly cursor: Place | null;
  /** Where the pointer is. */
  readonly hover: Place | null;
}

export class Stage {
  readonly #parts: Parts;
  #painter: Painter | undefined;
  #ink: Ink | undefined;
  #pixels: ImageData | undefined;
  #ratio = 0;
  #remarked: { mesh: Mesh; rows: ReadonlyMap<number, Remark>; columns: ReadonlyMap<number, Remark> } | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Light became dark, or the other way. */
  recolour(): void {
    this.#painter = undefined;
    this.#ink = undefined;
  }

  draw(scene: Scene): void {
    const { width, height } = scene.view;
    if (width < 1 || height < 1) return;
    if (this.#ratio !== devicePixelRatio) this.#painter = undefined;
    this.#ratio = devicePixelRatio;
    this.#drawCells(scene);
    this.#drawHeadings(scene);
    this.#placeCursor(scene);
  }

  #drawCells({ mesh, view: { pitch, x, y, width, height } }: Scene): void {
    const [ratio, canvas] = [this.#ratio, this.#parts.cells];
    const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.#pixels?.width !== wide || this.#pixels.height !== high) {
      this.#pixels = new ImageData(wide, high);
      [canvas.width, canvas.height] = [wide, high];
    }
    this.#painter ??= new Painter(paletteOf(this.#parts.probe), ratio);
    const window = { pitch: pitch * ratio, x: Math.round(x * ratio), y: Math.round(y * ratio), width: wide, height: high };
    this.#painter.paint(new Uint32Array(this.#pixels.data.buffer), window, mesh);
    canvas.getContext("2d", { alpha: false })?.putImageData(this.#pixels, 0, 0);
  }

  #drawHeadings({ mesh, view, cursor, hover }: Scene): void {
    this.#ink ??= inkOf(this.#parts.probe);
    if (this.#remarked?.mesh !== mesh) this.#remarked = { mesh, rows: witnessRemarks(mesh), columns: targetRemarks(mesh) };
    const current = hover ?? cursor;
    for (const side of ["rows", "columns"] as const) {
      const canvas = this.#parts[side];
      const [wide, high] = [canvas.clientWidth, canvas.clientHeight];
      const [deep, long] = side === "rows" ? [wide, high] : [high, wide];
      const context = sized(canvas, wide, high, this.#ratio);
      if (!context || deep <= STRIP + GUTTER) continue;
      const place = current && (side === "rows" ? current.row : current.column);
      const offset = side === "rows" ? view.y : view.x;
      const heading = { axis: mesh[side], remarks: this.#remarked[side], pitch: view.pitch, offset, current: place };
      drawHeading(context, side, deep, long, heading, this.#ink);
    }
  }

  #placeCursor({ view, cursor }: Scene): void {
    const box = this.#parts.cursor;
    box.hidden = cursor === null;
    if (cursor === null) return;
    const { x, y, side } = boxOf(view, cursor);
    const size = Math.max(9, side + 3);
    box.style.transform = `translate(${x + (side - size) / 2}px, ${y + (side - size) / 2}px)`;
    box.style.width = `${size}px`;
    box.style.height = `${size}px`;
  }
}

function sized(canvas: HTMLCanvasElement, width: number, height: number, ratio: number): CanvasRenderingContext2D | null {
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
  const context = canvas.getContext("2d", { alpha: false });
  context?.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}
