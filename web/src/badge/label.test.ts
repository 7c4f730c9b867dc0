import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

import { Phrases } from "../words/phrase";
import { badgeText, readLabel, type Label } from "./label";
import { STATUSES, type Status } from "./status";

const LANGUAGES = ["en", "es", "ro", "ru"] as const;
const phrases = Object.fromEntries(
  LANGUAGES.map((language) => {
    const file = new URL(`../../labels/${language}.json`, import.meta.url);
    return [language, new Phrases(language, JSON.parse(readFileSync(file, "utf8")) as Record<string, string>)];
  }),
) as Record<(typeof LANGUAGES)[number], Phrases>;

function said(label: Label, language: (typeof LANGUAGES)[number] = "en"): string {
  return badgeText(phrases[language], { label, text: "as the API says" });
}

const unreachable: Label = {
  key: "unreachable",
  cannot_see: 3,
  asked: 7,
  countries: [{ country: "RU", cannot_see: 3, asked: 3 }],
};

test("unreachable is said with numbers, and with the countries in which it holds", () => {
  expect(LANGUAGES.map((language) => said(unreachable, language))).toEqual([
    "Unreachable from your servers: 3 of 7 cannot see it (RU 3/3)",
    "Inaccesible desde sus servidores: sin acceso para 3 de 7 (RU 3/3)",
    "Inaccesibil de pe serverele dvs.: fără acces de pe 3 din 7 (RU 3/3)",
    "Недоступен с ваших серверов: не видят 3 из 7 (RU 3/3)",
  ]);
});

test("several countries stand beside each other, and none leaves no brackets", () => {
  const two = [...unreachable.countries, { country: "IR", cannot_see: 2, asked: 4 }];
  expect(said({ ...unreachable, countries: two })).toBe("Unreachable from your servers: 3 of 7 cannot see it (RU 3/3, IR 2/4)");
  expect(said({ ...unreachable, countries: [] })).toBe("Unreachable from your servers: 3 of 7 cannot see it");
});

test("entry points that are each lost to others leave no number of the blind", () => {
  expect(said({ ...unreachable, cannot_see: 0 })).toBe(
    "Unreachable from your servers: each of its entry points is out of sight for too many",
  );
});

test("names stand in a list of their language, and the rest is counted", () => {
  const blocked = (verifiers: string[], more = 0): Label => ({ key: "blocked", verifiers, more });
  expect(said(blocked(["v1"]))).toBe("Address blocked, as seen from v1");
  expect(said(blocked(["v1", "v2"]), "es")).toBe("Dirección bloqueada, vista desde v1 y v2");
  expect(said(blocked(["v1", "v2", "v3"]), "ro")).toBe("Adresă blocată, văzută de pe v1, v2 și v3");
  expect(said(blocked(["v1", "v2", "v3"], 9), "ru")).toBe("Адрес заблокирован, по данным v1, v2, v3 и ещё 9");
  expect(said(blocked([]))).toBe("Address blocked, as seen from nobody");
});

test("pairs name both servers", () => {
  const marked = (more: number): Label => ({ key: "marked", pairs: [["nl-1", "ru-1"], ["nl-1", "ru-2"]], more });
  expect(said(marked(0))).toBe("Connection check fails: nl-1 and ru-1; nl-1 and ru-2");
  expect(said(marked(4))).toBe("Connection check fails: nl-1 and ru-1; nl-1 and ru-2; and 4 more");
});

const SAMPLES: Record<Status, object> = {
  disabled: {},
  down: {},
  unreachable: { cannot_see: 3, asked: 7, countries: unreachable.countries },
  blocked: { verifiers: ["v1"], more: 0 },
  degraded: { entry_points: ["nl-1/quic"], more: 2 },
  no_data: {},
  pending: {},
  contested: {},
  marked: { pairs: [["nl-1", "ru-1"]], more: 0 },
  ok: {},
};

test.each(STATUSES)("%s is said in every language, with nothing left to fill in", (status) => {
  const label = readLabel({ key: status, values: SAMPLES[status] }, status);
  if (!label) throw new Error("the sample cannot be read");
  for (const language of LANGUAGES) {
    const text = said(label, language);
    expect(text, language).not.toMatch(/[{}]|badge\.|as the API says/);
    expect(phrases[language].say(`status.${status}`), language).not.toBe(`status.${status}`);
  }
});

test("a label of another shape, or of another status than the badge, is not read", () => {
  expect(readLabel({ key: "unreachable", values: { cannot_see: "3", asked: 7, countries: [] } }, "unreachable")).toBeUndefined();
  expect(readLabel({ key: "marked", values: { pairs: [["nl-1"]], more: 0 } }, "marked")).toBeUndefined();
  expect(readLabel({ key: "blocked", values: { more: 0 } }, "blocked")).toBeUndefined();
  expect(readLabel({ key: "ok", values: {} }, "down")).toBeUndefined();
  expect(readLabel(null, "ok")).toBeUndefined();
});

test("what cannot be worded is said as the API words it", () => {
  expect(badgeText(phrases.ru, { text: "Something new" })).toBe("Something new");
});
