// The words on a pair, as numbers: what a cell of the packed matrix has in its lower three bits, and failures in a row above
// them. The graver word has the higher number, so that a picture too small for each cell shows the gravest of several.

export const STATES = ["not_probed", "unknown", "sees", "failing", "held", "sustained"] as const;
export type State = (typeof STATES)[number];

/** What the legend lists first is what one looks for first. */
export const LEGEND: readonly State[] = ["sustained", "held", "failing", "sees", "unknown", "not_probed"];

/** A streak that a cell cannot tell exactly: this many or more. */
export const STREAK_MAX = 31;

/** How a cell looks: its state, and what its row says about it. */
export const HATCHED = 1 << 3;
export const FADED = 1 << 4;
export const LOOKS = 1 << 5;

export function stateOf(cell: number): State {
  return STATES[cell & 7] ?? "unknown";
}

export function codeOf(state: State): number {
  return STATES.indexOf(state);
}

export function streakOf(cell: number): number {
  return cell >> 3;
}
