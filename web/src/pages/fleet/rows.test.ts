import { expect, test } from "vitest";

import { merged, turned } from "./merge";
import { counts, type Filter, filterOf, queryOf, type ServerRow, shown } from "./rows";

const EVERYTHING: Filter = { search: "", statuses: new Set(), country: "", sort: "urgency", backwards: false };

const row = (id: string, status: string, more: Partial<ServerRow> = {}): ServerRow => ({
  id, status, country: id.slice(0, 2).toUpperCase(), site: `${id}-site`, verifier: false, intent: "active", text: status, label: { key: "ok", values: {} }, stale: false,
  since_ms: 1000, silent: false, discredited: [], half_blind: false,
  entry_points: [{ id: `${id}/tls`, lane: "tcp4", state: "clear", tier: 0, address: `198.51.100.${id.length}:443` }],
  ...more,
});
const ids = (rows: readonly ServerRow[]) => rows.map(({ id }) => id);

test("who calls for somebody comes first, of these who changed last, and the calm ones by name", () => {
  const rows = [
    row("nl-10", "ok", { since_ms: 9000 }), row("nl-2", "ok"), row("de-1", "blocked"), row("ru-1", "unreachable"),
    row("ru-2", "unreachable", { since_ms: 2000 }),
  ];
  expect(ids(shown(rows, EVERYTHING))).toEqual(["ru-2", "ru-1", "de-1", "nl-2", "nl-10"]);
  expect(ids(shown(rows, { ...EVERYTHING, backwards: true }))).toEqual(["nl-10", "nl-2", "de-1", "ru-1", "ru-2"]);
});

test("all words that are searched must be found, in any place and any case", () => {
  const rows = [row("nl-1", "ok", { site: "ams" }), row("nl-2", "ok", { verifier: true }), row("de-1", "down")];
  const search = (text: string) => ids(shown(rows, { ...EVERYTHING, search: text }));
  expect(search("NL")).toEqual(["nl-1", "nl-2"]);
  expect(search("nl  ams")).toEqual(["nl-1"]);
  expect(search("verifier")).toEqual(["nl-2"]);
  expect(search("198.51.100.4:443 down")).toEqual(["de-1"]);
  expect(search("nl moon")).toEqual([]);
});

test("statuses and country narrow what is shown, and go through the address and back", () => {
  const rows = [row("nl-1", "ok"), row("nl-2", "down"), row("de-1", "down"), row("de-2", "marked")];
  const filter: Filter = { ...EVERYTHING, statuses: new Set(["down", "marked"]), country: "DE", sort: "id", backwards: true };
  expect(ids(shown(rows, filter))).toEqual(["de-2", "de-1"]);
  expect(filterOf(new URLSearchParams(queryOf(filter)))).toEqual(filter);
});

test("an address that names an order there is not sorts by urgency", () => {
  expect(filterOf(new URLSearchParams("sort=colour")).sort).toBe("urgency");
});

test("what is searched is put together once for each row, however much is typed", () => {
  let read = 0;
  const rows = Array.from({ length: 50 }, (_, n) => Object.defineProperty(row(`s-${n}`, "ok"), "site", { get: () => (read += 1, "x") }));
  for (const search of ["s", "s-", "s-4", "s-49"]) shown(rows, { ...EVERYTHING, search });
  expect(read).toBe(50);
});

const event = (kind: string, subject: string, to: string, at_ms = 5000) => ({ id: 1, kind, subject, to, at_ms, reason: "because" });

test("a status that changed is shown before the rows are asked for anew", () => {
  const after = merged([row("nl-1", "ok", { reason: "old" }), row("de-1", "ok")], event("server_status", "nl-1", "blocked"));
  expect(after[0]).toMatchObject({ status: "blocked", text: "because", since_ms: 5000 });
  expect(after[0]).not.toHaveProperty("reason");
  expect(after[1]?.status).toBe("ok");
  expect(Object.fromEntries(counts(after))).toEqual({ blocked: 1, ok: 1 });
});

test("an event from before what was read, or of somebody else, changes nothing", () => {
  const rows = [row("nl-1", "ok", { since_ms: 6000 })];
  expect(merged(rows, event("server_status", "nl-1", "down"))).toBe(rows);
  expect(merged(rows, event("server_status", "nl-10", "down", 9000))).toBe(rows);
  expect(merged(rows, event("route", "nl-1", "x", 9000))).toBe(rows);
});

test("who turned is told whichever way it came to be known, and who is new has not", () => {
  const before = [row("nl-1", "ok"), row("de-1", "ok")];
  const byEvent = merged(before, event("server_status", "nl-1", "blocked"));
  const byAsking = [row("nl-1", "blocked"), row("de-1", "ok"), row("fi-1", "down")];
  expect(ids(turned(before, byEvent))).toEqual(["nl-1"]);
  expect(ids(turned(before, byAsking))).toEqual(["nl-1"]);
  expect(turned(byEvent, byAsking)).toEqual([]);
});

test("an entry point's state changes in its server's row alone", () => {
  const after = merged([row("nl-1", "ok"), row("nl-10", "ok")], event("entry_point_state", "nl-1/tls", "unreachable"));
  expect(after.map(({ entry_points }) => entry_points[0]?.state)).toEqual(["unreachable", "clear"]);
});
