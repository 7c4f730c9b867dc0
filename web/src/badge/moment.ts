// Moments and ages as the reader's language writes them, in local time.

import type { Phrases } from "../words/phrase";

const DAY_MS = 86_400_000;

/** "‹text›, since 14:02", with the day if that was not today. */
export function since(phrases: Phrases, text: string, since_ms: number, now_ms: number): string {
  const { locale } = phrases;
  const time = new Intl.DateTimeFormat(locale, { timeStyle: "short" }).format(since_ms);
  if (new Date(since_ms).toDateString() === new Date(now_ms).toDateString()) {
    return phrases.say("badge.since_time", { text, time });
  }
  const day = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" }).format(since_ms);
  return phrases.say("badge.since_day", { text, day, time });
}

/** "5 min". */
export function age(locale: string, ms: number): string {
  const [value, unit] = largest(ms);
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short" }).format(value);
}

/** "5 min. ago". */
export function ago(locale: string, ms: number): string {
  const [value, unit] = largest(ms);
  return new Intl.RelativeTimeFormat(locale, { style: "short", numeric: "always" }).format(-value, unit);
}

/** How long until an age is written differently. */
export function untilNextAge(ms: number): number {
  const step = STEPS[largest(ms)[1]];
  return step - (Math.max(0, ms) % step);
}

const STEPS = { second: 1_000, minute: 60_000, hour: 3_600_000, day: DAY_MS };

/** Rounded down: an age is not made older than it is. */
function largest(ms: number): [number, keyof typeof STEPS] {
  for (const unit of ["day", "hour", "minute"] as const) {
    if (ms >= STEPS[unit]) return [Math.floor(ms / STEPS[unit]), unit];
  }
  return [Math.floor(Math.max(0, ms) / 1_000), "second"];
}
