// The statuses of a while as pieces of a strip from 0 to 1. Pure.

import type { Schemas } from "../../api/client";

export interface Piece {
  /** A status, or `unknown` where nothing is written down. */
  readonly status: string;
  readonly from: number;
  readonly share: number;
  readonly ms: number;
}

export function pieces({ from_ms, to_ms, spans }: Pick<Schemas["StatusHistory"], "from_ms" | "to_ms" | "spans">): Piece[] {
  const found: Piece[] = [];
  const length = Math.max(1, to_ms - from_ms);
  const put = (status: string, from: number, to: number) => {
    if (to > from) found.push({ status, from: (from - from_ms) / length, share: (to - from) / length, ms: to - from });
  };
  let reached = from_ms;
  for (const { status, since_ms, until_ms } of spans) {
    const from = Math.max(reached, since_ms);
    const to = Math.min(to_ms, until_ms ?? to_ms);
    put("unknown", reached, Math.min(from, to_ms));
    put(status, from, to);
    reached = Math.max(reached, to);
  }
  put("unknown", reached, to_ms);
  return found;
}
