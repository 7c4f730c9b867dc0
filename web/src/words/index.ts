// The words on the pages, from the one catalogue in `labels/`: `t("fleet.shown", { n: 3 })`. English is always here; another
// language's words are fetched when somebody reads it.

import en from "../../labels/en.json";
import type { Language } from "./language";
import { type Labels, Phrases, type Values } from "./phrase";

type Written = keyof typeof en;
type Family<K extends string> = K extends `${infer Name}.${"zero" | "one" | "two" | "few" | "many" | "other"}` ? Name : K;
/** A label, or a family of plural forms; a slip is an error of the compiler. */
export type Key = Family<Written>;

const english = new Phrases("en", en);
let phrases = english;

const catalogues: Record<Language, () => Promise<Labels>> = {
  en: async () => en,
  es: async () => (await import("../../labels/es.json")).default,
  ro: async () => (await import("../../labels/ro.json")).default,
  ru: async () => (await import("../../labels/ru.json")).default,
};

/** The language that is spoken. */
export function currentLanguage(): string {
  return phrases.language;
}

/** Fetches the words of a language and speaks it from then on; who shows words draws them anew. */
export async function speak(wanted: Language): Promise<void> {
  phrases = new Phrases(wanted, await catalogues[wanted]());
  if (typeof document !== "undefined") document.documentElement.lang = wanted;
}

/** The phrases that are spoken: for texts that are put together elsewhere. */
export function spoken(): Phrases {
  return phrases;
}

/** The phrase of a key. */
export function t(key: Key, values: Values = {}): string {
  return (phrases.has(key) ? phrases : english).say(key, values);
}

/** The phrase of a key put together at run time, as from a word of the API; what is said else where there is none. */
export function told(key: string, otherwise: string, values: Values = {}): string {
  return phrases.has(key) ? phrases.say(key, values) : otherwise;
}
