// What was known beside what was said, a row for each server, those that differ first.

import type { Schemas } from "../../api/client";

export interface Compared {
  readonly id: string;
  readonly country: string;
  readonly known: string;
  readonly text: string;
  readonly known_since_ms: number;
  /** Null: nothing was said of it. */
  readonly said: string | null;
  readonly said_since_ms: number | null;
  readonly differs: boolean;
}

export function compared({ known, said, differs }: Pick<Schemas["PastMoment"], "known" | "said" | "differs">): Compared[] {
  const spoken = new Map(said.map((one) => [one.server, one]));
  const different = new Set(differs);
  const rows = known.servers.map((server) => {
    const said = spoken.get(server.id);
    return {
      id: server.id,
      country: server.country ?? "",
      known: server.status,
      text: server.text,
      known_since_ms: server.since_ms,
      said: said?.status ?? null,
      said_since_ms: said?.since_ms ?? null,
      differs: different.has(server.id),
    };
  });
  return rows.sort((a, b) => Number(b.differs) - Number(a.differs) || Number(a.known === "ok") - Number(b.known === "ok") || order.compare(a.id, b.id));
}

const order = new Intl.Collator("en", { numeric: true });
