// What a server measured of itself in the last hour, as three small lines: processor, memory, network.

import { html, nothing, type TemplateResult } from "lit";

import type { Schemas } from "../../api/client";
import { spark } from "../../parts/spark";
import { t } from "../../words";
import { bytes, number, percent } from "../../words/numbers";

export type ServerLines = Schemas["ServerLines"];
type Values = readonly (number | null)[];

export function lineCell(lines: ServerLines | undefined): TemplateResult | typeof nothing {
  if (!lines) return nothing;
  return html`${line(t("metric.cpu_percent"), lines.cpu_percent, 100, (value) => `${number(value)} %`)}
  ${line(t("metric.memory_used_share"), lines.memory_used_share, 1, percent)}
  ${line(t("metric.network_bytes_per_s"), lines.network_bytes_per_s, 1024, (value) => t("unit.per_s", { value: bytes(value) }))}`;
}

function line(label: string, values: Values, high: number, words: (value: number) => string) {
  const newest = values.findLast((value) => value !== null);
  if (newest === undefined || newest === null) return nothing;
  return spark(values, high, label, words(newest));
}
