// `<q-mark status="blocked">`: a status as a shape and a word, so that nothing hangs on colour alone. `bare` leaves the word to
// those who cannot see the shape.

import { css, html, LitElement, svg, type SVGTemplateResult, type TemplateResult } from "lit";
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

/** The shape and the word, for whoever draws many: wants `markStyles` around it. */
export function mark(status: string, bare = false): TemplateResult {
  const shape = STATE_STATUS[status] ?? status;
  const key = status in STATE_STATUS ? `state.${status}` : `status.${status}`;
  const word = told(key, status.replaceAll("_", " "));
  return html`<span class="mark ${shape}"
    ><svg viewBox="0 0 16 16" aria-hidden="true">${SHAPES[shape]}</svg
    ><span class=${bare ? "visually-hidden" : "word"}>${word}</span></span
  >`;
}

export const markStyles = css`
  .mark { display: inline-flex; align-items: baseline; gap: 0.4em; white-space: nowrap; font-weight: 550; color: var(--shape); }
  .mark svg { width: 0.95em; height: 0.95em; flex: none; align-self: center; overflow: visible; }
  .mark .f { fill: currentColor; }
  .mark .s { fill: none; stroke: currentColor; stroke-width: 2; }
  .mark .t { stroke-width: 2.8; stroke-linecap: round; }
  .mark .d { stroke-dasharray: 2.6 2.6; }
  .visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .mark.ok { --shape: var(--ok); } .mark.marked { --shape: var(--marked); } .mark.contested { --shape: var(--contested); }
  .mark.degraded { --shape: var(--degraded); } .mark.blocked { --shape: var(--blocked); } .mark.unreachable { --shape: var(--unreachable); }
  .mark.down { --shape: var(--down); } .mark.no_data, .mark.pending, .mark.disabled { --shape: var(--no_data); }
`;

@customElement("q-mark")
export class Mark extends LitElement {
  /** A server's status (R11) or an entry point's state. */
  @property() status = "";
  @property({ type: Boolean }) bare = false;

  /** Changes with the language, and so has the word drawn anew. */
  @property() language = "";

  static override styles = [css`:host { display: inline-flex; align-items: baseline; white-space: nowrap; }`, markStyles];

  override render() {
    return mark(this.status, this.bare);
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "q-mark": Mark;
  }
}
