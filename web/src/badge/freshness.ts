// Whether what a badge shows may still be believed: an old green is worse than a grey that says that it is old.
//
// News are believed for as long as the aggregator says (`fresh_for_ms`), counted from when they came in, not from a moment that
// they name: the two clocks need not agree. Two clocks of the reader's own are asked, because each has a hole: the monotonic
// one may stand still while a laptop sleeps, and the wall clock may be set back. The one that says more time has passed is
// believed, so that a doubt makes a badge older and never younger.

import { untilNextAge } from "./moment";

/** One reading of both clocks, in ms. */
export interface Instant {
  monotonic_ms: number;
  wall_ms: number;
}

export interface Freshness {
  old: boolean;
  /** How long ago the last news came. */
  age_ms: number;
  /** When to look again, if no news come: when it turns old, or when its age reads differently. */
  look_again_in_ms: number;
}

export function passed(from: Instant, to: Instant): number {
  return Math.max(0, to.monotonic_ms - from.monotonic_ms, to.wall_ms - from.wall_ms);
}

export function freshness(heard: Instant, fresh_for_ms: number, now: Instant): Freshness {
  const age_ms = passed(heard, now);
  const old = age_ms > fresh_for_ms;
  return { old, age_ms, look_again_in_ms: old ? untilNextAge(age_ms) : fresh_for_ms - age_ms + 1 };
}
