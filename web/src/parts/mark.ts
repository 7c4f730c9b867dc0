// `<q-mark status="blocked">`: a status as a shape and a word, so that nothing hangs on colour alone. `bare` leaves the word to
// those who cannot see the shape.

import { css, html, LitElement, svg, type SVGTemplateResult } from "lit";
import { customElement, property } from "lit/decorators.js";

import { told } from "../words";

/** Shapes on a field of 16 by 16; `--shape` of the host colours them. */
const SHAPES: Record<string, SVGTemplateResult> = {
  ok: svg`<circle class="f" cx="8" cy="8" r="5" />`,
  marked: svg`<path class="f" d="M8 2l6 6-6 6-6-6z" />`,
  contested: svg`<path class="s" d="M8 2.500l5.500 5.500-5.500 5.500-5.500-5.500z" />`,
  degraded: svg`<path class="f" d="M8 2l6.500 11.500h-13z" />`,
  blocked: svg`<circle class="s" cx="8" cy="8" r="5.500" /><path class="s" d="M4.200 11.800l7.600-7.600" />`,
  unreachable: svg`<path class="s t" d="M3.500 3.500l9 9m0-9l-9 9" />`,
  down: svg`<rect class="s" x="2" y="2" width="12" height="12" rx="1" /><path class="s" d="M5 5l6 6m0-6l-6 6" />`,
  no_data: svg`<circle class="s" cx="8" cy="8" r="5" />`,
  pending: svg`<circle class="s d" cx="8" cy="8" r="5" />`,
  disabled: svg`<path class="s t" d="M3 8h10" />`,
};

/** Which status' shape and colour an entry point's state has. */
export const STATE_STATUS: Record<string, string> = {
  clear: "ok",
  pair_broken: "marked",
  contested: "contested",
  cut_off: "degraded",
  blocked: "blocked",
  unreachable: "unreachable",
  down: "down",
};

@customElement("q-mark")
export class Mark extends LitElement {
  /** A server's status (R11) or an entry point's state. */
  @property() status = "";
  @property({ type: Boolean }) bare = false;

  static override styles = css`
    :host { display: inline-flex; align-items: baseline; gap: 0.4em; white-space: nowrap; color: var(--shape); font-weight: 550; }
    svg { width: 0.95em; height: 0.95em; flex: none; align-self: center; overflow: visible; }
    .f { fill: currentColor; }
    .s { fill: none; stroke: currentColor; stroke-width: 2; }
    .t { stroke-width: 2.800; stroke-linecap: round; }
    .d { stroke-dasharray: 2.600 2.600; }
    .visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
    .ok { --shape: var(--ok); } .marked { --shape: var(--marked); } .contested { --shape: var(--contested); }
    .degraded { --shape: var(--degraded); } .blocked { --shape: var(--blocked); } .unreachable { --shape: var(--unreachable); }
    .down { --shape: var(--down); } .no_data, .pending, .disabled { --shape: var(--no_data); }
    .mark { display: contents; color: var(--shape); }
  `;

  override render() {
    const shape = STATE_STATUS[this.status] ?? this.status;
    const key = this.status in STATE_STATUS ? `state.${this.status}` : `status.${this.status}`;
    const word = told(key, this.status.replaceAll("_", " "));
    return html`<span class="mark ${shape}"
      ><svg viewBox="0 0 16 16" aria-hidden="true">${SHAPES[shape]}</svg
      ><span class=${this.bare ? "visually-hidden" : "word"}>${word}</span></span
    >`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "q-mark": Mark;
  }
}
