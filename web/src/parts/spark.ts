// `<q-spark .values=${…} label="CPU">`: a small line for a table's cell, with its newest value in words beside it. Gaps stay
// gaps: where nothing was measured, nothing is drawn.

import { css, html, LitElement, svg } from "lit";
import { customElement, property } from "lit/decorators.js";

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

@customElement("q-spark")
export class Spark extends LitElement {
  @property({ attribute: false }) values: readonly (number | null)[] = [];
  /** What it is of, for who cannot see it. */
  @property() label = "";
  /** Its newest value in words. */
  @property() newest = "";
  @property({ type: Number }) high = 1;

  static override styles = css`
    :host { display: inline-flex; align-items: center; gap: 0.35rem; white-space: nowrap; }
    svg { width: ${WIDTH}px; height: ${HEIGHT}px; overflow: visible; }
    path { fill: none; stroke: var(--ink-2); stroke-width: 1.200; stroke-linejoin: round; }
    span { font-size: 0.8rem; font-variant-numeric: tabular-nums; color: var(--ink-2); }
  `;

  override render() {
    const line = svg`<path d=${path(this.values, 0, this.high)} />`;
    return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${this.label} ${this.newest}">${line}</svg
      ><span aria-hidden="true">${this.newest}</span>`;
  }
}
