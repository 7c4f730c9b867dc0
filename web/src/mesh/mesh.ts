// The mesh as it is drawn: a packed matrix put in the order of its axes, each cell's look with what its row says of it, and
// the difference to the mesh before. Typed arrays throughout; made in a worker, handed over without a copy.

import { type Axis, columnsAxis, rowsAxis } from "./layout";
import type { Column, Packed, Witness } from "./packed";
import { codeOf, FADED, HATCHED, STATES, type State } from "./states";

export interface Mesh {
  readonly evaluated_at_ms: number;
  readonly rows: Axis;
  readonly columns: Axis;
  /** By place on the axis. */
  readonly witnesses: readonly Witness[];
  readonly targets: readonly Column[];
  /** State and streak, row by row in the order of the axes. */
  readonly cells: Uint8Array;
  /** State, hatched, faded: what is drawn. */
  readonly looks: Uint8Array;
  /** Cells by state. */
  readonly counts: Readonly<Record<State, number>>;
}

export function meshOf({ header, cells: packed }: Packed): Mesh {
  const [rows, columns] = [rowsAxis(header.rows), columnsAxis(header.columns)];
  const witnesses = Array.from(rows.source, (at) => header.rows[at] as Witness);
  const targets = Array.from(columns.source, (at) => header.columns[at] as Column);
  const lanes = [...new Set(targets.map(({ lane }) => lane))];
  const laneOf = Uint8Array.from(targets, ({ lane }) => lanes.indexOf(lane));
  const width = columns.count;
  const cells = new Uint8Array(packed.length);
  const looks = new Uint8Array(packed.length);
  const tally = new Uint32Array(STATES.length);
  for (const [row, witness] of witnesses.entries()) {
    const from = (rows.source[row] as number) * width;
    const to = row * width;
    const faded = witness.silent ? FADED : 0;
    const hatched = Uint8Array.from(lanes, (lane) => (witness.discredited?.includes(lane) ? HATCHED : 0));
    for (let column = 0; column < width; column += 1) {
      const cell = packed[from + (columns.source[column] as number)] as number;
      cells[to + column] = cell;
      looks[to + column] = (cell & 7) | faded | (hatched[laneOf[column] as number] as number);
      (tally[cell & 7] as number)++;
    }
  }
  const counts = Object.fromEntries(STATES.map((state) => [state, tally[codeOf(state)] ?? 0])) as Record<State, number>;
  return { evaluated_at_ms: header.evaluated_at_ms, rows, columns, witnesses, targets, cells, looks, counts };
}

export function cellAt(mesh: Mesh, row: number, column: number): number {
  return mesh.cells[row * mesh.columns.count + column] ?? 0;
}

/** Whether two meshes have the same servers in the same places, so that a view of one is a view of the other. */
export function sameShape(a: Mesh, b: Mesh): boolean {
  return areSame(a.rows.names, b.rows.names) && areSame(a.columns.names, b.columns.names);
}

function areSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, at) => name === b[at]);
}

/** Rows that look different, of two meshes of one shape. */
export function changedRows(before: Mesh, after: Mesh): number[] {
  const width = after.columns.count;
  const changed: number[] = [];
  for (let row = 0; row < after.rows.count; row += 1) {
    for (let at = row * width, end = at + width; at < end; at += 1) {
      if (before.looks[at] !== after.looks[at]) {
        changed.push(row);
        break;
      }
    }
  }
  return changed;
}
