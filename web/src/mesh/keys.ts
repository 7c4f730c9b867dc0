// What a key does to the cell that the keyboard stands on. Arrows go to the next one, with Shift ten at a time; Page Up and
// Page Down by a window; Home and End along the row, with Control to the corners; N to the next cell that does not see.

import type { Mesh } from "./mesh";
import { codeOf } from "./states";
import { columnsInSight, type Place, rowsInSight, type View } from "./viewport";

export interface Key {
  readonly key: string;
  readonly shift: boolean;
  readonly control: boolean;
}

/** Where the key leads; null for a key that leads nowhere. */
export function stepped({ key, shift, control }: Key, { row, column }: Place, view: View, mesh: Mesh): Place | null {
  const far = shift ? 10 : 1;
  const [rows, columns] = [rowsInSight(view), columnsInSight(view)];
  switch (key) {
    case "ArrowUp":
      return within(view, row - far, column);
    case "ArrowDown":
      return within(view, row + far, column);
    case "ArrowLeft":
      return within(view, row, column - far);
    case "ArrowRight":
      return within(view, row, column + far);
    case "PageUp":
      return shift ? within(view, row, column - (columns.to - columns.from)) : within(view, row - (rows.to - rows.from), column);
    case "PageDown":
      return shift ? within(view, row, column + (columns.to - columns.from)) : within(view, row + (rows.to - rows.from), column);
    case "Home":
      return { row: control ? 0 : row, column: 0 };
    case "End":
      return { row: control ? view.rows - 1 : row, column: view.columns - 1 };
    case "n":
    case "N":
      return nextTrouble(mesh, { row, column }, shift ? -1 : 1);
    default:
      return null;
  }
}

function within(view: View, row: number, column: number): Place {
  return { row: Math.min(Math.max(row, 0), view.rows - 1), column: Math.min(Math.max(column, 0), view.columns - 1) };
}

/** The next cell, in reading order and round the end, that fails, cannot see or is held; the same one if there is none. */
export function nextTrouble({ looks, columns, rows }: Mesh, from: Place, by: 1 | -1): Place {
  const count = rows.count * columns.count;
  const least = codeOf("failing");
  let at = from.row * columns.count + from.column;
  for (let turn = 0; turn < count; turn += 1) {
    at = (at + by + count) % count;
    if (((looks[at] as number) & 7) >= least) break;
  }
  return { row: Math.floor(at / columns.count), column: at % columns.count };
}
