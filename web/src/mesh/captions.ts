// Patterns of the matrix in words, as the aggregator tells them (`GET /api/v1/matrix/captions`), and which part of the matrix
// each of them is about.

import { columnsOf, type Mesh, rowsOf } from "./mesh";
import type { Run } from "./viewport";

export interface Caption {
  /** `target`: a red column; `witness`: a red row; `block`: countries; `cross`: both of one server; `pair`: one cell. */
  readonly kind: string;
  readonly servers: readonly string[];
  readonly countries: readonly string[];
  readonly text: string;
}

export interface Part {
  readonly rows: Run;
  readonly columns: Run;
}

/** The part of the matrix that a caption tells of; null if it is about servers that the mesh no longer has. */
export function partOf(mesh: Mesh, { kind, servers, countries }: Caption): Part | null {
  const [one = "", other = ""] = servers;
  const all = { rows: { from: 0, to: mesh.rows.count }, columns: { from: 0, to: mesh.columns.count } };
  switch (kind) {
    case "target":
      return both(all.rows, columnsOf(mesh, one));
    case "witness":
      return both(rowsOf(mesh, one), all.columns);
    case "cross":
      return rowsOf(mesh, one) && all;
    case "pair":
      return both(rowsOf(mesh, one), columnsOf(mesh, other));
    case "block":
      return both(ofCountry(mesh, "rows", countries[0] ?? ""), ofCountry(mesh, "columns", countries[1] ?? countries[0] ?? ""));
    default:
      return null;
  }
}

function both(rows: Run | null, columns: Run | null): Part | null {
  return rows && columns && { rows, columns };
}

function ofCountry(mesh: Mesh, side: "rows" | "columns", country: string): Run | null {
  return mesh[side].countries.find(({ name }) => name === country) ?? null;
}
