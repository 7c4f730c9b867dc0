// Which lines stand above the fleet: what holds for more than one server. Pure: the summary and what time it is, to texts.

import type { Schemas } from "../../api/client";
import type { Loudness } from "../../parts/banner";
import { t } from "../../words";
import { ago, country, span } from "../../words/numbers";

export interface Line {
  readonly key: string;
  readonly loudness: Loudness;
  readonly title: string;
  readonly text: string;
}

type Summary = Schemas["Summary"] & { readonly islands?: readonly (readonly string[])[] };

/** More names than these are counted, not listed. */
const NAMES_MAX = 6;

export function lines(fleet: Summary, stale_after_ms: number): Line[] {
  const found: Line[] = [];
  for (const { country: code, lane, witnesses, targets } of fleet.country_cuts) {
    const text = t("banner.cut", { country: country(code), witnesses: few(witnesses), targets: few(targets), lane });
    found.push({ key: `cut ${code} ${lane}`, loudness: "loud", title: t("banner.cut_title"), text });
  }
  const islands = fleet.islands ?? [];
  if (islands.length > 1) {
    const parts = islands.map((island) => few(island)).join("  |  ");
    found.push({ key: "islands", loudness: "loud", title: t("banner.islands_title", { n: islands.length }), text: t("banner.islands", { parts }) });
  }
  if (fleet.evaluated_at_ms - fleet.evaluation_started_at_ms < stale_after_ms) {
    const text = t("banner.started", { ago: ago(fleet.evaluation_started_at_ms), span: span(stale_after_ms) });
    found.push({ key: "started", loudness: "quiet", title: t("banner.started_title"), text });
  }
  const named = (key: "half_blind" | "plan" | "certificate", servers: readonly string[]) => {
    if (servers.length === 0) return;
    const text = t(`banner.${key}`, { servers: few(servers) });
    found.push({ key, loudness: "warn", title: t(`banner.${key}_title`), text });
  };
  named("half_blind", fleet.half_blind);
  named("plan", fleet.plan_refused ?? []);
  named("certificate", (fleet.late_certificates ?? []).map(({ server }) => server));
  return found;
}

function few(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_MAX).join(", ");
  return names.length > NAMES_MAX ? t("list.more", { items: shown, more: names.length - NAMES_MAX }) : shown;
}
