// Reads a packed matrix (`GET /api/v1/matrix/packed`): `QMX1`, the length of the header in four bytes, little-endian, the
// header as JSON, then one byte a cell, row by row. What comes over the wire is checked once, here; behind this its shape is
// known.

export interface Witness {
  readonly witness: string;
  readonly country?: string;
  readonly site: string;
  readonly status: string;
  /** Lanes on which its last round was discredited. */
  readonly discredited?: readonly string[];
  readonly silent?: boolean;
}

export interface Column {
  readonly entry_point: string;
  readonly server: string;
  readonly country?: string;
  readonly site: string;
  readonly lane: string;
  readonly state: string;
}

export interface Header {
  readonly evaluated_at_ms: number;
  readonly rows: readonly Witness[];
  readonly columns: readonly Column[];
  readonly next?: string;
}

export interface Packed {
  readonly header: Header;
  /** `rows.length * columns.length` cells. */
  readonly cells: Uint8Array;
}

const MAGIC = 0x31584d51;

export function unpack(buffer: ArrayBuffer): Packed {
  const view = new DataView(buffer);
  if (buffer.byteLength < 8 || view.getUint32(0, true) !== MAGIC) throw new Error("this is no packed matrix: QMX1 is not at its start");
  const end = 8 + view.getUint32(4, true);
  if (end > buffer.byteLength) throw new Error("a packed matrix was cut off within its header");
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, end - 8))) as Header;
  const cells = new Uint8Array(buffer, end);
  const expected = header.rows.length * header.columns.length;
  if (cells.length !== expected) throw new Error(`a packed matrix has ${cells.length} cells where its header announces ${expected}`);
  return { header, cells };
}

/** The same as bytes: for tests, samples and benchmarks. */
export function pack({ header, cells }: Packed): ArrayBuffer {
  const json = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(8 + json.length + cells.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, json.length, true);
  bytes.set(json, 8);
  bytes.set(cells, 8 + json.length);
  return bytes.buffer;
}

/** Pages of one matrix as one; null where the fleet changed between two of them, and reading begins anew. */
export function join(pages: readonly Packed[]): Packed | null {
  const [first] = pages;
  if (!first) return null;
  if (pages.length === 1) return first;
  const sameColumns = ({ header }: Packed) =>
    header.columns.length === first.header.columns.length &&
    header.columns.every((column, at) => column.entry_point === first.header.columns[at]?.entry_point);
  if (!pages.every(sameColumns)) return null;
  const rows = pages.flatMap((page) => page.header.rows);
  const cells = new Uint8Array(rows.length * first.header.columns.length);
  let at = 0;
  for (const page of pages) {
    cells.set(page.cells, at);
    at += page.cells.length;
  }
  return { header: { evaluated_at_ms: first.header.evaluated_at_ms, rows, columns: first.header.columns }, cells };
}
