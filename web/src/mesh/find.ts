// Cells by the name of their witness or target, the gravest first.

import type { Mesh } from "./mesh";
import { codeOf, STATES } from "./states";
import type { Place } from "./viewport";

export interface Found extends Place {
  readonly cell: number;
}

/** At most `limit` of the cells whose witness or target has `text` in its name, and how many there are. */
export function findCells(mesh: Mesh, text: string, onlyTrouble: boolean, limit: number): { count: number; cells: Found[] } {
  const wanted = text.trim().toLowerCase();
  const matches = (names: readonly string[]) => names.map((name) => name.toLowerCase().includes(wanted));
  const [rows, columns] = [matches(mesh.rows.names), matches(mesh.columns.names)];
  const least = onlyTrouble ? codeOf("failing") : codeOf("unknown");
  const byState: Found[][] = STATES.map(() => []);
  let count = 0;
  for (let row = 0, at = 0; row < mesh.rows.count; row += 1) {
    for (let column = 0; column < mesh.columns.count; column += 1, at += 1) {
      const cell = mesh.cells[at] as number;
      const code = cell & 7;
      if (code < least || !(rows[row] || columns[column])) continue;
      count += 1;
      const found = byState[code] as Found[];
      if (found.length < limit) found.push({ row, column, cell });
    }
  }
  return { count, cells: byState.toReversed().flat().slice(0, limit) };
}
