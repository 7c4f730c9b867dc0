// Moments on a line: which ones a slider may stand on, where keys lead, and which event is next. All in Unix milliseconds.

export interface Line {
  readonly from_ms: number;
  readonly to_ms: number;
}

/** A round is a minute: nothing is known more finely. */
export const STEP_MS = 60_000;
const FAR = 10;

export const SPANS_H = [1, 6, 24, 168] as const;

/** The last so many hours of what the archive has; 0 is all of it. */
export function lineOf(archive: Line, hours: number): Line {
  const from_ms = hours === 0 ? archive.from_ms : Math.max(archive.from_ms, archive.to_ms - hours * 3_600_000);
  return { from_ms, to_ms: Math.max(archive.to_ms, from_ms) };
}

export function within(at_ms: number, { from_ms, to_ms }: Line): number {
  return Math.min(Math.max(at_ms, from_ms), to_ms);
}

/** Where a key leads from a moment; null for a key that leads nowhere. */
export function stepped(key: string, at_ms: number, line: Line): number | null {
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return within(at_ms - STEP_MS, line);
    case "ArrowRight":
    case "ArrowUp":
      return within(at_ms + STEP_MS, line);
    case "PageDown":
      return within(at_ms - FAR * STEP_MS, line);
    case "PageUp":
      return within(at_ms + FAR * STEP_MS, line);
    case "Home":
      return line.from_ms;
    case "End":
      return line.to_ms;
    default:
      return null;
  }
}

export interface At {
  readonly at_ms: number;
}

/** The last before a moment, and the first after it; `events` in order of time. */
export function neighbours<T extends At>(events: readonly T[], at_ms: number): { before: T | undefined; after: T | undefined } {
  const first = lowerBound(events, at_ms);
  const next = lowerBound(events, at_ms + 1);
  return { before: events[first - 1], after: events[next] };
}

/** The one nearest to a moment, if it is at most so far from it. */
export function nearest<T extends At>(events: readonly T[], at_ms: number, reach_ms: number): T | undefined {
  const at = lowerBound(events, at_ms);
  const found = [events[at - 1], events[at]].filter((event) => event !== undefined);
  const distance = (event: T) => Math.abs(event.at_ms - at_ms);
  return found.filter((event) => distance(event) <= reach_ms).sort((a, b) => distance(a) - distance(b))[0];
}

/** At most so many, those around a moment, in order of time. */
export function around<T extends At>(events: readonly T[], at_ms: number, count: number): readonly T[] {
  const at = lowerBound(events, at_ms + 1);
  const from = Math.max(0, Math.min(at - Math.ceil(count * 0.6), events.length - count));
  return events.slice(from, from + count);
}

function lowerBound(events: readonly At[], at_ms: number): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle] as At).at_ms < at_ms) low = middle + 1;
    else high = middle;
  }
  return low;
}
