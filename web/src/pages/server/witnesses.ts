// Who says what of a server: its votes by witness, joined with how each one's last knock went; and the same by country. Pure.

import type { Schemas } from "../../api/client";

type Vote = Schemas["Vote"];
type Cell = Schemas["Cell"];

/** What a witness says of the server as a whole. */
export type Stand = "cannot" | "part" | "doubts" | "sees" | "nothing";

export interface Witness {
  readonly id: string;
  readonly country: string;
  readonly site: string;
  readonly stand: Stand;
  /** By entry point's id. */
  readonly votes: ReadonlyMap<string, Vote & { readonly cell?: Cell | undefined }>;
}

export interface CountrySight {
  readonly country: string;
  readonly cannot: number;
  readonly sees: number;
  readonly nothing: number;
}

const STANDS: readonly Stand[] = ["cannot", "part", "doubts", "sees", "nothing"];

/** Those who cannot see it first, by country. */
export function witnesses(votes: readonly Vote[], matrix: Schemas["Matrix"] | undefined): Witness[] {
  const cells = new Map<string, Cell>();
  for (const row of matrix?.rows ?? []) {
    row.cells.forEach((cell, at) => cells.set(`${row.witness} ${matrix?.entry_points[at] ?? ""}`, cell));
  }
  const found = new Map<string, Vote[]>();
  for (const vote of votes) found.set(vote.witness, [...(found.get(vote.witness) ?? []), vote]);
  const list = [...found].map(([id, own]): Witness => {
    const joined = own.map((vote) => [vote.entry_point, { ...vote, cell: cells.get(`${id} ${vote.entry_point}`) }] as const);
    return { id, country: own[0]?.country ?? "", site: own[0]?.site ?? "", stand: stand(own), votes: new Map(joined) };
  });
  const order = (a: Witness, b: Witness) =>
    STANDS.indexOf(a.stand) - STANDS.indexOf(b.stand) || a.country.localeCompare(b.country) || a.id.localeCompare(b.id);
  return list.sort(order);
}

/** One that is seen is enough (R9): who sees one entry point sees the server, if a part of it. */
function stand(votes: readonly Vote[]): Stand {
  const accuses = votes.some(({ counts_as }) => counts_as === "accuses" || counts_as === "held");
  if (votes.some(({ word }) => word === "sees")) return accuses ? "part" : "sees";
  if (accuses) return "cannot";
  return votes.some(({ word }) => word !== "unknown") ? "doubts" : "nothing";
}

/** Whether anybody says anything of the server: nobody ever did, all that was said is old, or somebody does. */
export function hearing(list: readonly Witness[]): "nobody" | "earlier" | "now" {
  if (list.length === 0) return "nobody";
  return list.every((witness) => witness.stand === "nothing") ? "earlier" : "now";
}

/** Countries in which nobody sees it first. */
export function byCountry(list: readonly Witness[]): CountrySight[] {
  const found = new Map<string, { cannot: number; sees: number; nothing: number }>();
  for (const { country, stand: said } of list) {
    const sight = found.get(country) ?? { cannot: 0, sees: 0, nothing: 0 };
    if (said === "cannot") sight.cannot += 1;
    else if (said === "sees" || said === "part") sight.sees += 1;
    else sight.nothing += 1;
    found.set(country, sight);
  }
  const rows = [...found].map(([country, sight]) => ({ country, ...sight }));
  const share = ({ cannot, sees }: CountrySight) => (cannot === 0 ? 0 : cannot / (cannot + sees));
  return rows.sort((a, b) => share(b) - share(a) || a.country.localeCompare(b.country));
}
