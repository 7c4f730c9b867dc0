// Numbers and moments as the reader's locale writes them. What the API says is in Unix milliseconds and in the units of the
// field's name; what is shown is local time, with the zone where a day is named.

import { numbers, regions, relative, times } from "./formats";

const S = 1000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;

export function number(value: number, digits = 0): string {
  return numbers({ maximumFractionDigits: digits }).format(value);
}

export function percent(share: number): string {
  return numbers({ style: "percent", maximumFractionDigits: 0 }).format(share);
}

export function milliseconds(value: number): string {
  return `${number(value, value < 10 ? 1 : 0)} ms`;
}

/** 1024-based, as memory is counted. */
export function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let at = 0;
  while (value >= 1024 && at < units.length - 1) {
    value /= 1024;
    at += 1;
  }
  return `${number(value, value < 10 && at > 0 ? 1 : 0)} ${units[at]}`;
}

/** The time, with the day if it is not today's. */
export function moment(at_ms: number, now_ms = Date.now()): string {
  const sameDay = new Date(at_ms).toDateString() === new Date(now_ms).toDateString();
  const day = sameDay ? {} : ({ day: "numeric", month: "short" } as const);
  return times({ hour: "2-digit", minute: "2-digit", ...day }).format(at_ms);
}

/** The time to the second, with the day if it is not today's: for lists in which much happens within a minute. */
export function clock(at_ms: number, now_ms = Date.now()): string {
  const sameDay = new Date(at_ms).toDateString() === new Date(now_ms).toDateString();
  const day = sameDay ? {} : ({ day: "numeric", month: "short" } as const);
  return times({ hour: "2-digit", minute: "2-digit", second: "2-digit", ...day }).format(at_ms);
}

/** The whole moment to the second with its zone: for titles and lists of what happened. */
export function exactly(at_ms: number): string {
  const shape = { dateStyle: "medium", timeStyle: "long" } as const;
  return times(shape).format(at_ms);
}

/** A span in its largest unit: "40 s", "3 min", "2 h", "5 d" as the locale writes them. */
export function span(ms: number): string {
  const [value, unit] = largest(Math.max(0, ms));
  const shape = { style: "unit", unit, unitDisplay: "short" } as const;
  return numbers(shape).format(value);
}

/** How long ago: "3 min. ago". */
export function ago(at_ms: number, now_ms = Date.now()): string {
  const [value, unit] = largest(Math.max(0, now_ms - at_ms));
  return relative({ style: "short", numeric: "always" }).format(-value, unit);
}

function largest(ms: number): [number, "second" | "minute" | "hour" | "day"] {
  if (ms < 90 * S) return [Math.round(ms / S), "second"];
  if (ms < 90 * M) return [Math.round(ms / M), "minute"];
  if (ms < 36 * H) return [Math.round(ms / H), "hour"];
  return [Math.round(ms / D), "day"];
}

/** A country's name in the reader's language, with its code. */
export function country(code: string): string {
  try {
    const name = regions().of(code);
    return name && name !== code ? `${name} (${code})` : code;
  } catch {
    return code;
  }
}
