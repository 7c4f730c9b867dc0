// A small line for a table's cell, with its newest value in words beside it. Gaps stay gaps: where nothing was measured, nothing
// is drawn.

import { css, html, type TemplateResult } from "lit";

const WIDTH = 56;
const HEIGHT = 16;

/** The line's pieces as an SVG path; the scale runs from `low` to `high`, or to the greatest value if that is higher. */
export function path(values: readonly (number | null)[], low: number, high: number): string {
  const top = Math.max(high, ...values.map((value) => value ?? low));
  const x = (at: number) => ((at / Math.max(1, values.length - 1)) * WIDTH).toFixed(1);
  const y = (value: number) => (HEIGHT - 1 - ((value - low) / (top - low || 1)) * (HEIGHT - 2)).toFixed(1);
  let drawn = "";
  let pen = "M";
  values.forEach((value, at) => {
    if (value === null) {
      pen = "M";
      return;
    }
    drawn += `${pen}${x(at)} ${y(value)}`;
    pen = "L";
  });
  return drawn;
}

/** The line with its newest value; wants `sparkStyles` around it. */
export function spark(values: readonly (number | null)[], high: number, label: string, newest: string): TemplateResult {
  return html`<span class="spark"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label} ${newest}"><path d=${path(values, 0, high)} /></svg
    ><span aria-hidden="true">${newest}</span></span>`;
}

export const sparkStyles = css`
  .spark { display: inline-flex; align-items: center; gap: 0.35rem; white-space: nowrap; }
  .spark svg { width: ${WIDTH}px; height: ${HEIGHT}px; overflow: visible; }
  .spark path { fill: none; stroke: var(--ink-2); stroke-width: 1.2; stroke-linejoin: round; }
  .spark span { font-size: 0.8rem; font-variant-numeric: tabular-nums; color: var(--ink-2); }
`;
