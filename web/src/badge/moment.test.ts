import { expect, test } from "vitest";

import { Phrases } from "../words/phrase";
import { age, ago, since, untilNextAge } from "./moment";

const phrases = new Phrases("en", { "badge.since_time": "{text}, since {time}", "badge.since_day": "{text}, since {day}, {time}" });
const NOON = new Date(2026, 10, 30, 12, 0).getTime();

test("today's moments have a time, others a day with it", () => {
  expect(since(phrases, "Down", new Date(2026, 10, 30, 9, 5).getTime(), NOON)).toMatch(/^Down, since 9:05.AM$/);
  expect(since(phrases, "Down", new Date(2026, 10, 29, 23, 59).getTime(), NOON)).toMatch(/^Down, since Nov 29, 11:59.PM$/);
});

test("a region writes its own time of day", () => {
  const british = new Phrases("en", { "badge.since_time": "{text}, since {time}" }, "en-GB");
  expect(since(british, "Down", new Date(2026, 10, 30, 14, 2).getTime(), NOON)).toBe("Down, since 14:02");
});

test("an age is written in its largest unit and never made older than it is", () => {
  expect([0, 59_999, 60_000, 119_999, 3_600_000, 86_399_999, 172_800_000].map((ms) => age("en", ms))).toEqual([
    "0 sec", "59 sec", "1 min", "1 min", "1 hr", "23 hr", "2 days",
  ]);
});

test("each language has its own way of saying so", () => {
  expect(["en", "es", "ro", "ru"].map((language) => ago(language, 300_000))).toEqual(["5 min. ago", "hace 5 min", "acum 5 min.", "5 мин. назад"]);
});

test("the next age is a whole unit away", () => {
  expect([0, 1, 999, 61_000, 3_600_001].map(untilNextAge)).toEqual([1_000, 999, 1, 59_000, 3_599_999]);
});
