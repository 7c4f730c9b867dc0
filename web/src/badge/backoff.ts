// How long to wait after so many failures in a row: doubling, to a limit, and spread, so that a hundred open panels do not
// knock in step when an aggregator comes back.

export interface Backoff {
  first_ms: number;
  most_ms: number;
}

/** The wait after failure number `failures` (1 is the first); `dice` in 0..1 spreads it over its upper half. */
export function wait(backoff: Backoff, failures: number, dice: number): number {
  const doubled = backoff.first_ms * 2 ** Math.min(Math.max(failures, 1) - 1, 30);
  return spread(Math.min(doubled, backoff.most_ms), dice);
}

/** Between half of `ms` and all of it. */
export function spread(ms: number, dice: number): number {
  return Math.round(ms * (0.5 + dice / 2));
}
