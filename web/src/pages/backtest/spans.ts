// `<q-verdict-line>`: a server's verdicts that differ, on a line of time: above as it was, below as it would have been. What it
// shows is told in words beside it.

import { css, html, LitElement, svg } from "lit";
import { customElement, property } from "lit/decorators.js";

import type { Schemas } from "../../api/client";
import { t, told } from "../../words";
import { moment } from "../../words/numbers";
import { barOf } from "./bars";

type Verdict = Schemas["BacktestVerdict"];

const WIDTH = 320;
const ROW = 12;

@customElement("q-verdict-line")
export class VerdictLine extends LitElement {
  @property({ attribute: false }) verdicts: readonly Verdict[] = [];
  @property({ type: Number }) from = 0;
  @property({ type: Number }) to = 0;
  @property() language = "en";

  static override styles = css`
    svg { width: 100%; max-width: ${WIDTH}px; height: ${2 * ROW + 3}px; display: block; }
    .track { fill: var(--sunken); stroke: var(--line); }
    rect { fill: var(--no_data); }
    .unreachable, .down { fill: var(--unreachable); } .blocked { fill: var(--blocked); } .degraded { fill: var(--degraded); }
    .marked, .contested { fill: var(--marked); } .ok { fill: var(--ok); }
    .would { fill-opacity: 0.75; }
  `;

  override render() {
    const row = (which: "was" | "would", y: number) =>
      this.verdicts.map((verdict) => {
        const span = verdict[which];
        if (!span) return svg``;
        const { x, width } = barOf(span, this.from, this.to, WIDTH);
        const title = `${t(`backtest.${which}`)}: ${told(`status.${verdict.status}`, verdict.status)}, ${moment(span.from_ms)} – ${moment(span.to_ms)}`;
        return svg`<rect class="${which} ${verdict.status}" x=${x} y=${y + 1} width=${width} height=${ROW - 2} rx="1.5"><title>${title}</title></rect>`;
      });
    return html`<svg viewBox="0 0 ${WIDTH} ${2 * ROW + 3}" preserveAspectRatio="none" role="img" aria-label=${t("backtest.line")}>
      <rect class="track" x="0.5" y="0.5" width=${WIDTH - 1} height=${ROW} />${row("was", 0.5)}
      <rect class="track" x="0.5" y=${ROW + 2} width=${WIDTH - 1} height=${ROW} />${row("would", ROW + 2)}
    </svg>`;
  }
}
