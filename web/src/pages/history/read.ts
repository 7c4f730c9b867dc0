// What the page History asks the API for.

import { api, ask, type Schemas } from "../../api/client";
import type { Line } from "./timeline";

export type Happened = Schemas["Event"];
export type Moment = Schemas["PastMoment"];

export interface Archive {
  readonly line: Line | null;
  /** In order of time. */
  readonly events: readonly Happened[];
  /** Events before the first one were left out because there are too many. */
  readonly cut: boolean;
}

/** What happened to servers, countries and the aggregator itself; routes and entry points follow from that. */
const KINDS = new Set(["server_status", "country_cut", "half_blind", "aggregator", "edge"]);
/** Pages of 1,000: a wall of ticks tells nothing that a page does not. */
const PAGES_MAX = 5;

export async function readArchive(): Promise<Archive> {
  const { from_ms, to_ms } = await ask(api.GET("/api/v1/history"));
  if (typeof from_ms !== "number") return { line: null, events: [], cut: false };
  const events: Happened[] = [];
  let before: number | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const query = { limit: 1000, ...(before !== undefined && { before }) };
    const { items } = await ask(api.GET("/api/v1/events", { params: { query } }));
    events.push(...items.filter(({ kind, at_ms }) => KINDS.has(kind) && at_ms >= from_ms));
    const last = items.at(-1);
    if (items.length < 1000 || !last || last.at_ms < from_ms) return { line: { from_ms, to_ms }, events: events.toReversed(), cut: false };
    before = last.id;
  }
  return { line: { from_ms, to_ms }, events: events.toReversed(), cut: true };
}

export function readMoment(at_ms: number, signal: AbortSignal): Promise<Moment> {
  return ask(api.GET("/api/v1/history/moment", { params: { query: { at_ms } }, signal }));
}

export function readReasons(at_ms: number, id: string): Promise<Schemas["PastExplanation"]> {
  return ask(api.GET("/api/v1/history/explain", { params: { query: { at_ms, id } } }));
}
