// The catalogue against itself, against each language's grammar, and against the sources that speak it.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const LANGUAGES = ["en", "es", "ro", "ru"] as const;
const CATEGORIES = new Set(["zero", "one", "two", "few", "many", "other"]);
/** The aggregator reads these for images, and has no plural rules. */
const WITHOUT_PLURALS = /^(badge|list)\./;

const here = import.meta.dirname;
const catalogue = Object.fromEntries(
  LANGUAGES.map((language) => [language, JSON.parse(readFileSync(join(here, `${language}.json`), "utf8")) as Record<string, string>]),
);
const english = catalogue["en"] ?? {};

/** `fleet.found` of `fleet.found.other`; other keys as they are. */
function base(key: string): string {
  const dot = key.lastIndexOf(".");
  return CATEGORIES.has(key.slice(dot + 1)) ? key.slice(0, dot) : key;
}

function bases(labels: Record<string, string>): string[] {
  return [...new Set(Object.keys(labels).map(base))].sort();
}

function placeholders(label: string): string[] {
  return [...new Set(label.match(/\{\w+\}/g) ?? [])].sort();
}

/** The families of plural forms of a language, each with its categories. */
function families(labels: Record<string, string>): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const key of Object.keys(labels)) {
    if (base(key) !== key) found.set(base(key), [...(found.get(base(key)) ?? []), key.slice(base(key).length + 1)]);
  }
  return found;
}

const others = LANGUAGES.filter((language) => language !== "en");

test.each(others)("%s has the keys of English, no more and no fewer", (language) => {
  expect(bases(catalogue[language] ?? {})).toEqual(bases(english));
});

test.each(LANGUAGES)("keys of %s stand in order, so that a new one has one place", (language) => {
  const keys = Object.keys(catalogue[language] ?? {});
  expect(keys).toEqual([...keys].sort());
});

test.each(LANGUAGES)("each family of %s has the plural forms of its grammar, all and only those", (language) => {
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
  const wrong = [...families(catalogue[language] ?? {})].filter(([, has]) => [...has].sort().join() !== [...pluralCategories].sort().join());
  expect(wrong).toEqual([]);
});

test.each(others)("each label of %s has the placeholders of English", (language) => {
  const labels = catalogue[language] ?? {};
  const wrong = Object.entries(labels).filter(([key, label]) => {
    const same = placeholders(english[key] ?? english[`${base(key)}.other`] ?? "");
    // "One server" need not say its number.
    const may = base(key) === key ? [] : ["{n}"];
    const has = placeholders(label);
    return has.some((name) => !same.includes(name)) || same.some((name) => !has.includes(name) && !may.includes(name));
  });
  expect(wrong).toEqual([]);
});

test.each(LANGUAGES)("no label of %s is empty, ragged, or has a brace that is no placeholder", (language) => {
  const wrong = Object.entries(catalogue[language] ?? {}).filter(
    ([, label]) => label.trim() === "" || label !== label.trim() || /[{}]/.test(label.replace(/\{[a-z_]+\}/g, "")) || / {2}/.test(label),
  );
  expect(wrong).toEqual([]);
});

test.each(LANGUAGES)("what the aggregator reads of %s needs no plural rules", (language) => {
  expect(Object.keys(catalogue[language] ?? {}).filter((key) => WITHOUT_PLURALS.test(key) && base(key) !== key)).toEqual([]);
});

test("a family that is plural in one language is plural in all", () => {
  const plural = (language: string): string[] => [...families(catalogue[language] ?? {}).keys()].sort();
  for (const language of others) expect(plural(language), language).toEqual(plural("en"));
});

test("Russian is written in Cyrillic, and the others are not", () => {
  const names = /\{\w+\}|\b[A-Z]{2,}\b|Quorate|Telegram|Alertmanager|Webhook/g;
  const without = Object.entries(catalogue["ru"] ?? {}).filter(([, label]) => {
    const words = label.replace(names, "");
    return /[a-z]{3,}/i.test(words) && !/[а-яё]/i.test(words);
  });
  expect(without).toEqual([]);
  for (const language of ["en", "es", "ro"]) {
    expect(Object.entries(catalogue[language] ?? {}).filter(([, label]) => /[а-яё]/i.test(label)), language).toEqual([]);
  }
});

const spoken = sources(join(here, "../src")).map((file) => ({ file, text: uncommented(readFileSync(file, "utf8")) }));

test("each label that the sources speak exists", () => {
  const known = new Set([...Object.keys(english), ...bases(english)]);
  const missing = spoken.flatMap(({ file, text }) =>
    [...text.matchAll(/\b(?:t|told|known|say)\(\s*(["'`])([a-z_]+\.[^"'`\n]*)\1/g)]
      .map(([, , key = ""]) => key)
      .filter((key) => (key.includes("${") ? !bases(english).some((one) => pattern(key).test(one)) : !known.has(key)))
      .map((key) => `${file}: ${key}`),
  );
  expect(missing).toEqual([]);
});

test("each label that exists is spoken somewhere", () => {
  const texts = spoken.map(({ text }) => text);
  const plain = new Set(texts.flatMap((text) => [...text.matchAll(/(["'`])([a-z_]+\.[a-z0-9_.]+)\1/g)].map(([, , key]) => key)));
  const made = texts.flatMap((text) => [...text.matchAll(/`([a-z_]+\.(?:[a-z0-9_.]|\$\{[^}`]*\})*\$\{[^}`]*\}[a-z0-9_.]*)`/g)].map(([, key = ""]) => pattern(key)));
  const silent = bases(english).filter((key) => !plain.has(key) && !made.some((one) => one.test(key)));
  expect(silent).toEqual([]);
});

/** `status.${view.status}` stands for each key of that shape. */
function pattern(template: string): RegExp {
  const parts = template.split(/\$\{[^}]*\}/).map((part) => part.replace(/[.*+?^$()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join("[a-z0-9_.]+")}$`);
}

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.endsWith(".d.ts"))
    .map((file) => join(folder, file));
}

function uncommented(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
}
