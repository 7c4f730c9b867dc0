// Patterns of the matrix in words, as the aggregator tells them, and where in the picture each of them is.

import type { Schemas } from "../api/client";
import type { Mesh } from "./mesh";
import { codeOf } from "./states";
import type { Place, Run } from "./viewport";

export type Caption = Schemas["CaptionView"];

export interface Figure {
  /** The smallest run of rows and of columns with all of it. */
  readonly rows: Run;
  readonly columns: Run;
  /** Its first cell that does not see, or its first one. */
  readonly first: Place;
}

/** Where a caption's cells are; null if the mesh has none of them any more. */
export function figureOf(mesh: Mesh, { parts }: Pick<Caption, "parts">): Figure | null {
  const rowOf = new Map(mesh.rows.names.map((name, place) => [name, place]));
  const columnOf = new Map(mesh.columns.names.map((name, place) => [name, place]));
  const rows = new Set<number>();
  const columns = new Set<number>();
  let first: Place | null = null;
  for (const part of parts) {
    const [down, across] = [placesOf(part.witnesses, rowOf), placesOf(part.targets, columnOf)];
    for (const row of down) rows.add(row);
    for (const column of across) columns.add(column);
    first ??= firstTrouble(mesh, down, across);
  }
  if (rows.size === 0 || columns.size === 0) return null;
  const [down, across] = [runOf(rows), runOf(columns)];
  return { rows: down, columns: across, first: first ?? { row: down.from, column: across.from } };
}

function placesOf(names: readonly string[], places: ReadonlyMap<string, number>): number[] {
  return names.flatMap((name) => places.get(name) ?? []).sort((a, b) => a - b);
}

function runOf(places: ReadonlySet<number>): Run {
  return { from: Math.min(...places), to: Math.max(...places) + 1 };
}

function firstTrouble({ looks, columns }: Mesh, down: readonly number[], across: readonly number[]): Place | null {
  const least = codeOf("held");
  for (const row of down) {
    for (const column of across) {
      if (((looks[row * columns.count + column] as number) & 7) >= least) return { row, column };
    }
  }
  return null;
}
