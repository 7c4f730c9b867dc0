// Where spans of time lie on a line.

import type { Schemas } from "../../api/client";

export interface Bar {
  readonly x: number;
  readonly width: number;
}

/** Where a span lies on a line of `width`; wide enough to be seen, and within the line. */
export function barOf(span: Schemas["BacktestSpan"], from_ms: number, to_ms: number, width: number): Bar {
  const at = (ms: number) => (Math.min(Math.max(ms, from_ms), to_ms) - from_ms) / Math.max(1, to_ms - from_ms);
  const wide = Math.max(2, (at(span.to_ms) - at(span.from_ms)) * width);
  return { x: Math.min(at(span.from_ms) * width, width - wide), width: wide };
}
