// Which charts a server's numbers make: what belongs together stands in one, and what was never measured in none. Pure.

import type { Schemas } from "../../api/client";
import { t } from "../../words";
import { bytes, milliseconds, number, percent } from "../../words/numbers";

type Values = readonly (number | null)[];

export interface Line {
  readonly name: string;
  readonly values: Values;
}

export interface Chart {
  readonly title: string;
  readonly lines: readonly Line[];
  /** The scale reaches at least this high, so that noise does not look like a storm. */
  readonly least_top: number;
  readonly words: (value: number) => string;
}

const rate = (value: number) => t("unit.per_s", { value: bytes(value) });

interface Kind {
  readonly names: readonly string[];
  readonly title: () => string;
  readonly least_top: number;
  readonly words: (value: number) => string;
}

const KINDS: readonly Kind[] = [
  { names: ["latency_ms"], title: () => t("metric.latency_ms"), least_top: 50, words: milliseconds },
  { names: ["failed_share"], title: () => t("metric.failed_share"), least_top: 0.1, words: percent },
  { names: ["cpu_percent"], title: () => t("metric.cpu_percent"), least_top: 100, words: (value) => percent(value / 100) },
  { names: ["load_per_core"], title: () => t("metric.load_per_core"), least_top: 1, words: (value) => number(value, 2) },
  { names: ["memory_used_share", "disk_used_share"], title: () => t("metric.memory_and_disk"), least_top: 1, words: percent },
  { names: ["network_received_bytes_per_s", "network_sent_bytes_per_s"], title: () => t("metric.received_and_sent"), least_top: 1024, words: rate },
  { names: ["open_files"], title: () => t("metric.open_files"), least_top: 100, words: number },
];

export function charts(series: Schemas["Series"]): Chart[] {
  const found: Chart[] = [];
  for (const { names, title, least_top, words } of KINDS) {
    const lines = names.flatMap((name) => {
      const values = series.values[name];
      return values?.some((value) => value !== null) ? [{ name, values }] : [];
    });
    if (lines.length > 0) found.push({ title: title(), lines, least_top, words });
  }
  return found;
}

/** A line's newest, mean and greatest value in words. */
export function summary({ values }: Line, words: Chart["words"]): string {
  const known = values.filter((value) => value !== null);
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  return t("metrics.summary", { newest: words(known.at(-1) ?? 0), mean: words(mean), most: words(Math.max(...known)) });
}
