// The words on the pages, from the one catalogue in `labels/`: flat keys, `{name}` for what is put in, and for what depends
// on a count `n` the plural's category as the key's last part (`fleet.found.one`, `fleet.found.other`).

import en from "../../labels/en.json";
import type { Language } from "./language";

type Written = keyof typeof en;
type Base<K extends string> = K extends `${infer B}.${"zero" | "one" | "two" | "few" | "many" | "other"}` ? B : K;
export type Key = Base<Written>;
export type Values = Record<string, string | number>;
type Catalogue = Partial<Record<string, string>>;

let language: Language = "en";
let catalogue: Catalogue = en;
let plural = new Intl.PluralRules("en");

const catalogues: Record<Language, () => Promise<Catalogue>> = {
  en: async () => en,
  es: async () => (await import("../../labels/es.json")).default,
  ro: async () => (await import("../../labels/ro.json")).default,
  ru: async () => (await import("../../labels/ru.json")).default,
};

export function currentLanguage(): Language {
  return language;
}

/** Fetches the words of a language and speaks it from then on; whoever shows words draws them anew. */
export async function speak(wanted: Language): Promise<void> {
  catalogue = await catalogues[wanted]();
  language = wanted;
  plural = new Intl.PluralRules(wanted);
  if (typeof document !== "undefined") document.documentElement.lang = wanted;
}

/** The text of a key; English where the language lacks it, the key where nobody has it. */
export function t(key: Key, values: Values = {}): string {
  const text = find(catalogue, plural, key, values) ?? find(en, new Intl.PluralRules("en"), key, values) ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === "number" ? new Intl.NumberFormat(language).format(value) : value;
  });
}

/** Whether the catalogue has a key that was put together at run time, as from a status of the API. */
export function known(key: string): key is Key {
  return key in en || `${key}.other` in en;
}

/** The text of a key put together at run time, else what the API said. */
export function told(key: string, otherwise: string, values: Values = {}): string {
  return known(key) ? t(key, values) : otherwise;
}

function find(from: Catalogue, rules: Intl.PluralRules, key: string, values: Values): string | undefined {
  const count = values["n"];
  if (typeof count === "number") {
    const counted = from[`${key}.${rules.select(count)}`] ?? from[`${key}.other`];
    if (counted !== undefined) return counted;
  }
  return from[key];
}
