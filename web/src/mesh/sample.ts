// Made-up meshes for tests and benchmarks: servers in ten countries, a country that cannot see another, a witness that sees
// nothing, a target that nobody sees. The same size gives the same mesh.

import type { Column, Packed, Witness } from "./packed";
import { codeOf, type State } from "./states";

const COUNTRIES = ["DE", "FI", "FR", "GB", "NL", "PL", "RO", "RU", "SE", "US"];

/** `servers` witnesses and as many entry points. `round` moves failures on, as time does. */
export function sample(servers: number, round = 0): Packed {
  const rows: Witness[] = [];
  const columns: Column[] = [];
  for (let at = 0; at < servers; at += 1) {
    const country = COUNTRIES[at % COUNTRIES.length] as string;
    const id = `${country.toLowerCase()}-${Math.floor(at / COUNTRIES.length) + 1}`;
    const site = `198.51.${Math.floor(at / (3 * COUNTRIES.length))}.0/24 ${country}`;
    const discredited = at % 97 === 13 ? { discredited: ["tcp4"] } : {};
    rows.push({ witness: id, country, site, status: "ok", ...discredited, ...(at % 89 === 7 ? { silent: true } : {}) });
    columns.push({ entry_point: `${id}/tls`, server: id, country, site, lane: "tcp4", state: "clear" });
  }
  const cells = new Uint8Array(servers * servers);
  for (let row = 0; row < servers; row += 1) {
    for (let column = 0; column < servers; column += 1) cells[row * servers + column] = cell(row, column, round);
  }
  return { header: { evaluated_at_ms: 1_796_023_714_441 + round * 3000, rows, columns }, cells };
}

function cell(row: number, column: number, round: number): number {
  if (row === column) return told("not_probed");
  if (row % COUNTRIES.length === 7 && column % COUNTRIES.length === 4) return told("sustained", 9);
  if (column === 11) return told("sustained", 5);
  if (row % 97 === 13) return told("failing", 2);
  const noise = (Math.imul(row + 1, 2_654_435_761) ^ Math.imul(column + 1, 40_503) ^ Math.imul(round + 1, 97_531)) >>> 0;
  const lot = noise % 1000;
  if (lot < 4) return told("failing", 1 + (noise % 2));
  if (lot < 5) return told("sustained", 3);
  if (lot < 6) return told("held", 4);
  return lot < 10 ? told("unknown") : told("sees");
}

function told(state: State, streak = 0): number {
  return codeOf(state) | (streak << 3);
}
