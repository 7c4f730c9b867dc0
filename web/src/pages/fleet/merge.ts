// What an event changes in the rows at once, before they are asked for anew: a badge that turns red does so within the second.

import type { Happened } from "../../api/live";
import type { ServerRow } from "./rows";

/** The rows after `happened`; the same array if it concerns none of them. */
export function merged(rows: readonly ServerRow[], happened: Happened): readonly ServerRow[] {
  switch (happened.kind) {
    case "server_status":
      return changed(rows, (row) => (row.id === happened.subject ? statusOf(row, happened) : row));
    case "entry_point_state":
      return changed(rows, (row) => entryOf(row, happened));
    default:
      return rows;
  }
}

/** Servers whose status has become another one, whether an event said so or the next asking. One that is new has not turned. */
export function turned(before: readonly ServerRow[], after: readonly ServerRow[]): ServerRow[] {
  const statuses = new Map(before.map(({ id, status }) => [id, status]));
  return after.filter(({ id, status }) => statuses.has(id) && statuses.get(id) !== status);
}

function statusOf(row: ServerRow, { to, reason, at_ms }: Happened): ServerRow {
  // An event that is older than what was read changes nothing: it was read with it.
  if (!to || at_ms < row.since_ms || row.status === to) return row;
  const { reason: _outdated, ...rest } = row;
  // The label is of the status before; without one the text is shown as it came.
  return { ...rest, status: to, text: reason, since_ms: at_ms, stale: false };
}

function entryOf(row: ServerRow, { subject, to }: Happened): ServerRow {
  if (!to || !subject.startsWith(`${row.id}/`)) return row;
  const at = row.entry_points.findIndex((entry) => entry.id === subject);
  const entry = row.entry_points[at];
  if (!entry || entry.state === to) return row;
  return { ...row, entry_points: row.entry_points.with(at, { ...entry, state: to }) };
}

function changed(rows: readonly ServerRow[], change: (row: ServerRow) => ServerRow): readonly ServerRow[] {
  let any = false;
  const after = rows.map((row) => {
    const next = change(row);
    any ||= next !== row;
    return next;
  });
  return any ? after : rows;
}
