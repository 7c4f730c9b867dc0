// What a row says of its server besides the status: the badge's text, and what else is to be known at a glance.

import type { Schemas } from "../../api/client";
import { badgeText, readLabel } from "../../badge/label";
import type { Status } from "../../badge/status";
import { spoken, t } from "../../words";

type Said = Pick<Schemas["ServerRow"], "status" | "text" | "stale"> & { readonly label?: unknown };

/** The badge's text in the reader's language; "OK" is said by the mark already. */
export function said(row: Said): string {
  if (row.status === "ok") return row.stale ? t("tag.stale") : "";
  const label = readLabel(row.label, row.status as Status);
  const text = badgeText(spoken(), { text: row.text, ...(label && { label }) });
  return row.stale ? t("badge.stale", { text }) : text;
}

/** In the order of their weight. */
export function tags(row: Schemas["ServerRow"]): string[] {
  const found: string[] = [];
  if (row.intent === "drained") found.push(t("tag.drained"));
  if (row.plan_refused) found.push(t("tag.plan_refused"));
  if (row.half_blind) found.push(t("tag.half_blind"));
  if (row.discredited.length > 0) found.push(t("tag.discredited"));
  if (row.verifier) found.push(t("tag.verifier"));
  return found;
}
