// A rule's form as the entry that is written: what it is about, how bad it must be, where it goes and when it is held back.
// Lists that are empty leave nothing out. Pure.

import type { Schemas } from "../../api/client";
import { text, words } from "./section";

export type RuleEntry = Schemas["RuleEntry"];

export const TOPICS = ["server_status", "pair", "route", "country_cut", "half_blind", "edge", "certificate", "plan_refused", "session", "aggregator"] as const;
export const SEVERITIES = ["info", "warning", "critical"] as const;
export const LISTS = ["servers", "countries", "routes", "channels"] as const;

export function ruleOf(form: FormData): RuleEntry {
  const rule: RuleEntry = {};
  const events = form.getAll("events").map(String);
  if (events.length > 0) rule.events = events;
  const at_least = text(form, "at_least");
  if (at_least) rule.at_least = at_least;
  for (const list of LISTS) {
    const named = words(text(form, list));
    if (named.length > 0) rule[list] = named;
  }
  const [from, to, zone] = [text(form, "from"), text(form, "to"), text(form, "zone")];
  if (from && to) rule.quiet = { from, to, zone: zone ?? "UTC" };
  return rule;
}

/** The rules with one of them replaced, added (beyond the end) or taken out (absent). */
export function withRule(rules: readonly RuleEntry[], at: number, rule: RuleEntry | undefined): RuleEntry[] {
  return rule ? (at < rules.length ? rules.with(at, rule) : [...rules, rule]) : rules.toSpliced(at, 1);
}
