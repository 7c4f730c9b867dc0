// The numbers of a policy that can be tried on the archive: how they are shown and typed (spans in seconds), and what differs
// from what is in force. What agents are told (interval, spacing, witnesses, controls) cannot be tried, because the reports are
// those that came.

import type { Schemas } from "../../api/client";

export type Effective = Schemas["Effective"];
export type Settings = Schemas["PolicySettings"];

export const FIELDS = [
  { name: "quorum", rule: "R7", unit: 1, step: 1, least: 2 },
  { name: "quorum_share", rule: "R7", unit: 1, step: 0.05, least: 0 },
  { name: "sustain_rounds", rule: "R5", unit: 1, step: 1, least: 1 },
  { name: "sustain_for_ms", rule: "R5", unit: 1000, step: 10, least: 0 },
  { name: "stale_after_ms", rule: "R5", unit: 1000, step: 10, least: 1 },
  { name: "hold_for_ms", rule: "R14", unit: 1000, step: 60, least: 1 },
  { name: "witness_floor", rule: "R3", unit: 1, step: 0.05, least: 0 },
  { name: "half_blind_share", rule: "R10", unit: 1, step: 0.05, least: 0 },
] as const;
export type Field = (typeof FIELDS)[number];
export type FieldName = Field["name"];

export const UNTRIED = ["interval_ms", "min_spacing_ms", "witnesses_per_target", "controls", "all"] as const;

/** What is typed, by field; a field that nobody touched is absent. */
export type Typed = Readonly<Partial<Record<FieldName, string>>>;

/** What a field shows for a number of the API. */
export function shown(field: Field, value: number): string {
  return String(value / field.unit);
}

/** The number that was typed, as the API takes it; null if it is none. Commas are points to half of the world. */
export function valueOf(field: Field, typed: string): number | null {
  const text = typed.trim().replace(",", ".");
  const value = text === "" ? Number.NaN : Number(text);
  if (!Number.isFinite(value) || value < field.least) return null;
  return field.step < 1 ? value : Math.round(value * field.unit);
}

export interface Change {
  readonly name: FieldName;
  readonly from: number;
  readonly to: number;
}

/** What was typed that differs from what is in force. */
export function changes(inForce: Effective, typed: Typed): Change[] {
  return FIELDS.flatMap((field) => {
    const text = typed[field.name];
    const to = text === undefined ? null : valueOf(field, text);
    const from = inForce[field.name];
    return to === null || to === from ? [] : [{ name: field.name, from, to }];
  });
}

/** Fields whose text is no number that they take. */
export function wrong(typed: Typed): FieldName[] {
  return FIELDS.filter((field) => {
    const text = typed[field.name];
    return text !== undefined && valueOf(field, text) === null;
  }).map(({ name }) => name);
}

/** The numbers of a policy that were tried, as fields show them. */
export function typedOf(policy: Partial<Settings>): Typed {
  const found = FIELDS.flatMap((field) => {
    const value = policy[field.name];
    return typeof value === "number" ? [[field.name, shown(field, value)] as const] : [];
  });
  return Object.fromEntries(found);
}

/** Only what differs: everything else stays as it was in force at each time. */
export function tried(changed: readonly Change[]): Partial<Settings> {
  return Object.fromEntries(changed.map(({ name, to }) => [name, to]));
}

/** `quorum 2 → 3, hold_for 900 s → 600 s` */
export function inWords(changed: readonly Change[]): string {
  const one = ({ name, from, to }: Change) => {
    const seconds = name.endsWith("_ms");
    const value = (number: number) => (seconds ? `${number / 1000} s` : String(number));
    return `${name.replace(/_ms$/, "")} ${value(from)} → ${value(to)}`;
  };
  return changed.map(one).join(", ");
}
