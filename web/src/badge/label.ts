// R11 · The text of a badge in the reader's language: the status in one line, with the numbers and names behind it.
//
// The same texts as `quorate_core::label`, from the same catalogue; a test compares the English of both.

import type { Phrases } from "../words/phrase";
import { isNumber, isRecord } from "./json";
import type { Status } from "./status";

export interface CountryCount {
  country: string;
  cannot_see: number;
  asked: number;
}

/** What a text is made of. `more` counts those that are not named. */
export type Label =
  | { key: "unreachable"; cannot_see: number; asked: number; countries: CountryCount[] }
  | { key: "blocked"; verifiers: string[]; more: number }
  | { key: "degraded"; entry_points: string[]; more: number }
  | { key: "marked"; pairs: [string, string][]; more: number }
  | { key: Exclude<Status, "unreachable" | "blocked" | "degraded" | "marked"> };

/** `{key, values}` of the API; `undefined` where it is of another shape, or of another status than the badge. */
export function readLabel(json: unknown, status: Status): Label | undefined {
  if (!isRecord(json) || json["key"] !== status || !isRecord(json["values"])) return undefined;
  const values = json["values"];
  const more = isNumber(values["more"]) ? values["more"] : 0;
  switch (status) {
    case "unreachable": {
      const { cannot_see, asked } = values;
      const countries = listOf(values["countries"], isCount);
      return isNumber(cannot_see) && isNumber(asked) && countries ? { key: status, cannot_see, asked, countries } : undefined;
    }
    case "blocked": {
      const verifiers = listOf(values["verifiers"], isText);
      return verifiers && { key: status, verifiers, more };
    }
    case "degraded": {
      const entry_points = listOf(values["entry_points"], isText);
      return entry_points && { key: status, entry_points, more };
    }
    case "marked": {
      const pairs = listOf(values["pairs"], isPair);
      return pairs && { key: status, pairs, more };
    }
    default:
      return { key: status };
  }
}

/** The one line: "Unreachable from your servers: 3 of 7 cannot see it (RU 3/3)". */
export function badgeText(phrases: Phrases, view: { label?: Label; text: string }): string {
  const { label } = view;
  if (!label) return view.text;
  switch (label.key) {
    case "unreachable":
      return unreachable(phrases, label);
    case "blocked":
      return phrases.say("badge.blocked", { verifiers: list(phrases, label.verifiers, label.more) });
    case "degraded":
      return phrases.say("badge.degraded", { entry_points: list(phrases, label.entry_points, label.more) });
    case "marked":
      return phrases.say("badge.marked", { pairs: pairs(phrases, label.pairs, label.more) });
    default:
      return phrases.say(`badge.${label.key}`);
  }
}

function unreachable(phrases: Phrases, label: Extract<Label, { key: "unreachable" }>): string {
  const { cannot_see, asked } = label;
  if (cannot_see === 0) return phrases.say("badge.unreachable_scattered");
  if (label.countries.length === 0) return phrases.say("badge.unreachable", { cannot_see, asked });
  const countries = label.countries.map((one) => `${one.country} ${one.cannot_see}/${one.asked}`).join(", ");
  return phrases.say("badge.unreachable_in", { cannot_see, asked, countries });
}

/** "a", "a and b", "a, b and c", "a, b, c and 9 more". */
function list(phrases: Phrases, items: readonly string[], more: number): string {
  if (items.length === 0) return phrases.say("list.nobody");
  if (more > 0) return phrases.say("list.more", { items: items.join(", "), more });
  const last = items.at(-1) ?? "";
  return items.length === 1 ? last : phrases.say("list.and", { start: items.slice(0, -1).join(", "), last });
}

function pairs(phrases: Phrases, named: readonly [string, string][], more: number): string {
  const items = named.map(([a, b]) => phrases.say("list.pair", { a, b })).join("; ");
  return more > 0 ? phrases.say("list.pairs_more", { items, more }) : items;
}

function listOf<T>(json: unknown, is: (item: unknown) => item is T): T[] | undefined {
  return Array.isArray(json) && json.every(is) ? json : undefined;
}

function isText(item: unknown): item is string {
  return typeof item === "string";
}

function isPair(item: unknown): item is [string, string] {
  return Array.isArray(item) && item.length === 2 && item.every(isText);
}

function isCount(item: unknown): item is CountryCount {
  return isRecord(item) && isText(item["country"]) && isNumber(item["cannot_see"]) && isNumber(item["asked"]);
}
