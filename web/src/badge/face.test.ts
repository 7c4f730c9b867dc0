import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

import { Phrases } from "../words/phrase";
import { faceOf, misplaced, noticeOf } from "./face";
import type { Heard } from "./feed";
import type { BadgeView } from "./view";

function speaking(language: string): Phrases {
  return new Phrases(language, JSON.parse(readFileSync(new URL(`../../labels/${language}.json`, import.meta.url), "utf8")) as Record<string, string>);
}

const english = speaking("en");
const at = { monotonic_ms: 0, wall_ms: new Date(2026, 10, 30, 14, 0).getTime() };
const later = (ms: number) => ({ monotonic_ms: ms, wall_ms: at.wall_ms + ms });
const view: BadgeView = {
  server: "nl-1",
  status: "down",
  text: "Server unavailable",
  label: { key: "down" },
  reason: "it says so itself",
  stale: false,
  fresh_for_ms: 30_000,
};

test("fresh news show the status, its text and the aggregator's own sentence, marked as English", () => {
  const face = faceOf(speaking("ru"), view, at, later(1_000));
  expect(face.shape).toBe("down");
  expect(face.word).toBe("Не работает");
  expect(face.lines).toEqual([{ text: "Сервер не работает" }, { text: "it says so itself", lang: "en" }]);
});

test("old news lose their shape, say their age, and first of all that they are old", () => {
  const face = faceOf(english, { ...view, status: "ok", label: { key: "ok" } }, at, later(300_000));
  expect(face.shape).toBe("old");
  expect(face.word).toBe("OK (5 min. ago)");
  expect(face.lines.map(({ text }) => text)).toEqual([
    "No news for 5 min: this is the last known state.",
    "OK",
    "it says so itself",
  ]);
});

test("an aggregator that is itself behind is not believed either", () => {
  const face = faceOf(english, { ...view, stale: true }, at, later(0));
  expect([face.shape, face.word]).toEqual(["old", "Down (stale)"]);
});

test("since when is said with the text", () => {
  const since_ms = new Date(2026, 10, 30, 13, 2).getTime();
  expect(faceOf(speaking("es"), { ...view, since_ms }, at, later(0)).lines[0]?.text).toBe("Servidor no disponible, desde las 13:02");
});

test("what is not known is never shown as a status", () => {
  const said = (heard: Heard<unknown>): string[] => {
    const face = noticeOf(english, heard, { server: "nl-9" });
    return face ? [face.shape, face.word, ...face.lines.map(({ text }) => text)] : [];
  };
  expect(said({ lost: false })).toEqual(["pending", "Loading…"]);
  expect(said({ lost: true })).toEqual(["old", "No answer", "The monitor does not answer: nothing is known."]);
  expect(said({ lost: false, refusal: "unknown" })).toEqual(["old", "Unknown", "There is no server “nl-9”."]);
  expect(said({ lost: false, refusal: "expired" })[1]).toBe("Link expired");
  expect(said({ lost: false, refusal: "refused" })[1]).toBe("No access");
});

test("a refusal goes before news that came earlier, and news go before a loss", () => {
  const news = { view, at };
  expect(noticeOf(english, { news, refusal: "expired", lost: false }, { server: "nl-1" })?.word).toBe("Link expired");
  expect(noticeOf(english, { news, lost: true }, { server: "nl-1" })).toBeUndefined();
});

test("an unknown route is called one, and a missing attribute is named", () => {
  expect(noticeOf(english, { lost: false, refusal: "unknown" }, { route: "eu" })?.lines[0]?.text).toBe("There is no route “eu”.");
  expect(misplaced(english, "server").lines[0]?.text).toBe("The attribute “server” is missing or wrong.");
});
