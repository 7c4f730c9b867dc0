// The policy's numbers: what each one is for, in which unit it is typed, and between what it lies. Spans are typed in seconds,
// shares in percent; the API has milliseconds and fractions. Pure.

import type { Schemas } from "../../api/client";

type Settings = Schemas["PolicySettings"];
type Effective = Schemas["Effective"];

export type PolicyKey = keyof Effective;

export interface PolicyField {
  readonly key: PolicyKey;
  readonly unit: "s" | "%" | "";
  readonly least: number;
  readonly most?: number;
}

export const FIELDS: readonly PolicyField[] = [
  { key: "quorum", unit: "", least: 2 },
  { key: "quorum_share", unit: "%", least: 0, most: 100 },
  { key: "sustain_rounds", unit: "", least: 1 },
  { key: "sustain_for_ms", unit: "s", least: 0 },
  { key: "interval_ms", unit: "s", least: 1 },
  { key: "stale_after_ms", unit: "s", least: 0 },
  { key: "hold_for_ms", unit: "s", least: 0 },
  { key: "witness_floor", unit: "%", least: 0, most: 100 },
  { key: "half_blind_share", unit: "%", least: 0, most: 100 },
];

const SCALE = { s: 1000, "%": 0.01, "": 1 } as const;

/** As it is typed. */
export function typed({ key, unit }: PolicyField, values: Partial<Record<PolicyKey, number | null>>): string {
  const value = values[key];
  return typeof value === "number" ? String(Number((value / SCALE[unit]).toFixed(3))) : "";
}

/** The settings that the form says, over what is written already; a field left empty has its default again. */
export function settingsOf(form: FormData, before: Settings): Settings {
  const after: Settings = { ...before };
  for (const { key, unit } of FIELDS) {
    const value = form.get(key);
    if (typeof value !== "string" || value.trim() === "") delete after[key];
    else after[key] = unit === "%" ? Number((Number(value) * SCALE[unit]).toFixed(3)) : Math.round(Number(value) * SCALE[unit]);
  }
  return after;
}

/** What is typed and not in force, as the back-test's page takes it. */
export function changed(form: FormData, effective: Effective, settings: Settings): Record<string, string> {
  const wanted = settingsOf(form, settings);
  return Object.fromEntries(
    FIELDS.filter(({ key }) => typeof wanted[key] === "number" && wanted[key] !== effective[key]).map(({ key }) => [key, String(wanted[key])]),
  );
}
