// Which part of the mesh is in sight and how large: from places on the axes to points and back. A view is a value; moving and
// zooming make a new one that never leaves the mesh out of sight. All lengths in CSS pixels.

export interface View {
  /** One cell's side. */
  readonly pitch: number;
  /** How much of the mesh lies left of and above the window. */
  readonly x: number;
  readonly y: number;
  /** The window on the cells, without the headers. */
  readonly width: number;
  readonly height: number;
  readonly rows: number;
  readonly columns: number;
}

/** A run of places: `from` and all before `to`. */
export interface Run {
  readonly from: number;
  readonly to: number;
}

export interface Place {
  readonly row: number;
  readonly column: number;
}

/** Largest cell: a finger's width. */
export const PITCH_MAX = 44;
/** Larger than this nobody needs a cell to be, unless they ask for it. */
export const PITCH_COMFORTABLE = 30;
/** From here on a cell has its shape, and each row and column its name. */
export const PITCH_NAMED = 12;

/** The whole mesh, as large as it fits, and no larger than is comfortable to read. */
export function fit(rows: number, columns: number, width: number, height: number): View {
  const pitch = Math.min(pitchMin({ rows, columns, width, height }), PITCH_COMFORTABLE);
  return settled({ pitch, x: 0, y: 0, width, height, rows, columns });
}

/** The smallest cell: at which all is in sight. */
function pitchMin({ rows, columns, width, height }: Pick<View, "rows" | "columns" | "width" | "height">): number {
  return Math.min(width / Math.max(1, columns), height / Math.max(1, rows), PITCH_MAX);
}

export function panned(view: View, dx: number, dy: number): View {
  return settled({ ...view, x: view.x + dx, y: view.y + dy });
}

/** Larger or smaller by a factor, so that what is at a point of the window stays there. */
export function zoomed(view: View, factor: number, at: { x: number; y: number }): View {
  const pitch = clamp(view.pitch * factor, Math.min(pitchMin(view), PITCH_COMFORTABLE), PITCH_MAX);
  const grown = pitch / view.pitch;
  return settled({ ...view, pitch, x: (view.x + at.x) * grown - at.x, y: (view.y + at.y) * grown - at.y });
}

/** In a window of another size; the middle stays, and what was whole in sight stays so. */
export function resized(view: View, width: number, height: number): View {
  const whole = view.pitch <= Math.min(pitchMin(view), PITCH_COMFORTABLE) * 1.001;
  if (whole) return fit(view.rows, view.columns, width, height);
  const [dx, dy] = [(view.width - width) / 2, (view.height - height) / 2];
  const pitch = Math.max(view.pitch, Math.min(pitchMin({ ...view, width, height }), PITCH_COMFORTABLE));
  return settled({ ...view, pitch, x: view.x + dx, y: view.y + dy, width, height });
}

/** Moved no further than needed for a cell to be in sight, with one beside it. */
export function revealed(view: View, { row, column }: Place): View {
  const along = (at: number, offset: number, length: number) => {
    const [low, high] = [(at - 1) * view.pitch, (at + 2) * view.pitch];
    if (low < offset) return low;
    return high > offset + length ? high - length : offset;
  };
  return settled({ ...view, x: along(column, view.x, view.width), y: along(row, view.y, view.height) });
}

/** Just so large that these rows and columns fill the window, with a margin. */
export function framed(view: View, rows: Run, columns: Run): View {
  const margin = 3;
  const [tall, wide] = [rows.to - rows.from + 2 * margin, columns.to - columns.from + 2 * margin];
  const pitch = clamp(Math.min(view.width / wide, view.height / tall), Math.min(pitchMin(view), PITCH_COMFORTABLE), PITCH_COMFORTABLE);
  const x = ((columns.from + columns.to) / 2) * pitch - view.width / 2;
  const y = ((rows.from + rows.to) / 2) * pitch - view.height / 2;
  return settled({ ...view, pitch, x, y });
}

/** The cell at a point of the window; null beside the mesh. */
export function hit(view: View, x: number, y: number): Place | null {
  const [column, row] = [Math.floor((x + view.x) / view.pitch), Math.floor((y + view.y) / view.pitch)];
  const inside = row >= 0 && column >= 0 && row < view.rows && column < view.columns;
  return inside ? { row, column } : null;
}

/** Where in the window a cell lies. */
export function boxOf(view: View, { row, column }: Place): { x: number; y: number; side: number } {
  return { x: column * view.pitch - view.x, y: row * view.pitch - view.y, side: view.pitch };
}

export function rowsInSight(view: View): Run {
  return inSight(view.y, view.height, view.pitch, view.rows);
}

export function columnsInSight(view: View): Run {
  return inSight(view.x, view.width, view.pitch, view.columns);
}

function inSight(offset: number, length: number, pitch: number, count: number): Run {
  const from = clamp(Math.floor(offset / pitch), 0, count);
  return { from, to: clamp(Math.ceil((offset + length) / pitch), from, count) };
}

/** Within the mesh: no margin wider than what a mesh smaller than the window leaves at its end. */
function settled(view: View): View {
  const right = Math.max(0, view.columns * view.pitch - view.width);
  const bottom = Math.max(0, view.rows * view.pitch - view.height);
  return { ...view, x: clamp(view.x, 0, right), y: clamp(view.y, 0, bottom) };
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), Math.max(low, high));
}
