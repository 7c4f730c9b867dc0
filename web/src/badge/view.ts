// What the aggregator says on a badge, as it comes over the wire: read once, here, and believed afterwards.
//
// The file may be older than the aggregator that it asks, or stand behind a proxy that answers with a page of its own. What
// cannot be read is `undefined`, never half a badge.

import { isNumber, isRecord } from "./json";
import { readLabel, type Label } from "./label";
import { STATUSES, type Status } from "./status";

export interface BadgeView {
  server: string;
  /** ISO 3166-1 alpha-2. */
  country?: string;
  status: Status;
  /** R11's text in English: for where `label` cannot be read. */
  text: string;
  label?: Label;
  /** More of it, in English: what to do. */
  reason?: string;
  /** Since when the status stands; absent where nobody knows. */
  since_ms?: number;
  /** The aggregator's own findings are old. */
  stale: boolean;
  /** Without news for so long, what was said is old. */
  fresh_for_ms: number;
}

/** A news line of a route: its servers in the route's order. */
export interface RouteView {
  route: string;
  servers: BadgeView[];
}

const FRESH_FOR_MS = { least: 2_000, usual: 30_000, most: 3_600_000 };

export function readBadge(json: unknown): BadgeView | undefined {
  if (!isRecord(json)) return undefined;
  const { server, country, status, text, reason, since_ms, stale, fresh_for_ms } = json;
  const known = STATUSES.find((one) => one === status);
  if (typeof server !== "string" || known === undefined || typeof text !== "string") return undefined;
  const label = readLabel(json["label"], known);
  return {
    server,
    status: known,
    text,
    stale: stale === true,
    fresh_for_ms: isNumber(fresh_for_ms) ? clamped(fresh_for_ms) : FRESH_FOR_MS.usual,
    ...(typeof country === "string" && { country }),
    ...(label && { label }),
    ...(typeof reason === "string" && { reason }),
    ...(isNumber(since_ms) && { since_ms }),
  };
}

export function readRoute(json: unknown): RouteView | undefined {
  if (!isRecord(json)) return undefined;
  const { route, servers } = json;
  if (typeof route !== "string" || !Array.isArray(servers)) return undefined;
  const views = servers.map(readBadge);
  return views.every((view) => view !== undefined) ? { route, servers: views } : undefined;
}

/** The text of a message or an answer, as `read` understands it; `undefined` where it is no JSON at all. */
export function parsed<T>(text: string, read: (json: unknown) => T | undefined): T | undefined {
  try {
    return read(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function clamped(fresh_for_ms: number): number {
  return Math.min(FRESH_FOR_MS.most, Math.max(FRESH_FOR_MS.least, fresh_for_ms));
}
