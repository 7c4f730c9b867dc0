// The shape of each state, because a colour alone tells too few people: a full dot sees, one stroke fails, two crossed cannot
// see, two bars hold, a ring is unknown, a dash is not asked. A shape is told point by point, so that it is sharp at any size
// and the same on the canvas, in the legend and in tests.

import type { State } from "./states";

/** Whether a point of the square from -1 to 1 is in a state's shape; `thin` is half the width of a stroke. */
export function inShape(state: State, x: number, y: number, thin: number): boolean {
  switch (state) {
    case "not_probed":
      return Math.abs(y) < thin * 0.7 && Math.abs(x) < 0.26;
    case "unknown":
      return Math.abs(Math.hypot(x, y) - 0.4) < thin * 0.8;
    case "sees":
      return Math.hypot(x, y) < 0.36;
    case "failing":
      return stroke(x, y, thin);
    case "held":
      return Math.abs(Math.abs(x) - 0.28) < thin && Math.abs(y) < 0.56;
    case "sustained":
      return stroke(x, y, thin) || stroke(x, -y, thin);
  }
}

function stroke(x: number, y: number, thin: number): boolean {
  return Math.abs(x + y) * Math.SQRT1_2 < thin && Math.abs(x - y) * Math.SQRT1_2 < 0.78;
}
