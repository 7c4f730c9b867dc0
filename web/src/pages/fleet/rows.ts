// Which servers the fleet's table shows and in which order. Pure, and quick enough for 5,000 servers between two keys: what is
// searched is put together once for each row.

import type { Schemas } from "../../api/client";

export type ServerRow = Schemas["ServerRow"];

/** Statuses as they call for somebody: who comes first is looked at first. */
export const BY_URGENCY = [
  "down", "unreachable", "blocked", "degraded", "no_data", "contested", "marked", "pending", "ok", "disabled",
] as const;

export const SORTS = ["urgency", "id", "country", "since", "report"] as const;
export type Sort = (typeof SORTS)[number];

export interface Filter {
  /** Words that all have to be found somewhere in the row. */
  readonly search: string;
  /** Statuses; all of them if empty. */
  readonly statuses: ReadonlySet<string>;
  /** A country's code; all of them if empty. */
  readonly country: string;
  readonly sort: Sort;
  readonly backwards: boolean;
}

export function filterOf(query: URLSearchParams): Filter {
  const sort = query.get("sort") ?? "";
  return {
    search: query.get("q") ?? "",
    statuses: new Set((query.get("status") ?? "").split(",").filter(Boolean)),
    country: query.get("country") ?? "",
    sort: SORTS.find((known) => known === sort) ?? "urgency",
    backwards: query.get("backwards") === "1",
  };
}

export function queryOf(filter: Filter): Record<string, string> {
  return {
    q: filter.search,
    status: [...filter.statuses].join(","),
    country: filter.country,
    sort: filter.sort === "urgency" ? "" : filter.sort,
    backwards: filter.backwards ? "1" : "",
  };
}

const texts = new WeakMap<ServerRow, string>();

function searched(row: ServerRow): string {
  const known = texts.get(row);
  if (known !== undefined) return known;
  const addresses = row.entry_points.map((entry) => `${entry.id} ${entry.address ?? ""} ${entry.state}`).join(" ");
  const verifier = row.verifier ? "verifier" : "";
  const text = [row.id, row.country ?? "", row.site, row.status, row.intent, row.text, row.reason ?? "", verifier, addresses]
    .join(" ")
    .toLowerCase();
  texts.set(row, text);
  return text;
}

/** The rows that pass, in order. */
export function shown(rows: readonly ServerRow[], filter: Filter): ServerRow[] {
  const words = filter.search.toLowerCase().split(/\s+/).filter(Boolean);
  const passes = (row: ServerRow) =>
    (filter.statuses.size === 0 || filter.statuses.has(row.status)) &&
    (filter.country === "" || row.country === filter.country) &&
    words.every((word) => searched(row).includes(word));
  const passed = rows.filter(passes).sort(ORDERS[filter.sort]);
  return filter.backwards ? passed.toReversed() : passed;
}

const byId = (a: ServerRow, b: ServerRow) => compareText(a.id, b.id);

const ORDERS: Record<Sort, (a: ServerRow, b: ServerRow) => number> = {
  urgency: (a, b) => urgency(a.status) - urgency(b.status) || (urgency(a.status) < CALM ? b.since_ms - a.since_ms : 0) || byId(a, b),
  id: byId,
  country: (a, b) => compareText(a.country ?? "~", b.country ?? "~") || byId(a, b),
  since: (a, b) => b.since_ms - a.since_ms || byId(a, b),
  report: (a, b) => (a.last_report_at_ms ?? 0) - (b.last_report_at_ms ?? 0) || byId(a, b),
};

/** From here on the newest change is no reason to stand first. */
const CALM = BY_URGENCY.indexOf("pending");

function urgency(status: string): number {
  const at = BY_URGENCY.findIndex((known) => known === status);
  return at < 0 ? 0 : at;
}

/** `nl-2` before `nl-10`. */
const collator = new Intl.Collator("en", { numeric: true });
function compareText(a: string, b: string): number {
  return collator.compare(a, b);
}

/** How many of each status there are. */
export function counts(rows: readonly ServerRow[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const { status } of rows) found.set(status, (found.get(status) ?? 0) + 1);
  return found;
}
