// `<q-time-slider>`: a slider over time with a tick for each event. The slider is the browser's own, so that it is what every
// reader knows; the ticks above it lead to their events. Tells `q-moment` with the moment in Unix milliseconds.

import { css, html, LitElement, type PropertyValues } from "lit";
import { customElement, property, query } from "lit/decorators.js";

import type { Schemas } from "../../api/client";
import { base } from "../../style/base";
import { t } from "../../words";
import { exactly, moment } from "../../words/numbers";
import { type Line, nearest, stepped, STEP_MS } from "./timeline";

type Happened = Schemas["Event"];

const TICKS_PX = 26;
/** The thumb's half width: where the browser's slider begins and ends. */
const INSET_PX = 9;
const REACH_PX = 8;

@customElement("q-time-slider")
export class TimeSlider extends LitElement {
  @property({ attribute: false }) line!: Line;
  @property({ type: Number }) at = 0;
  /** In order of time. */
  @property({ attribute: false }) events: readonly Happened[] = [];
  @property() language = "en";
  @query("canvas") private canvas!: HTMLCanvasElement;
  readonly #size = new ResizeObserver(() => this.#draw());

  static override styles = [
    base,
    css`
      :host { display: block; --thumb: ${2 * INSET_PX}px; }
      canvas { display: block; width: 100%; height: ${TICKS_PX}px; cursor: pointer; }
      input { display: block; width: 100%; margin: 0; padding: 0; min-height: 1.5rem; border: 0; background: none; appearance: none; cursor: ew-resize; }
      input::-webkit-slider-runnable-track { height: 6px; border-radius: 3px; background: var(--line); border: 1px solid var(--line-strong); }
      input::-moz-range-track { height: 6px; border-radius: 3px; background: var(--line); border: 1px solid var(--line-strong); }
      input::-webkit-slider-thumb { appearance: none; width: var(--thumb); height: var(--thumb); margin-top: -7px; border-radius: 50%; background: var(--accent); border: 2px solid var(--paper); box-shadow: 0 0 0 1px var(--accent); }
      input::-moz-range-thumb { width: calc(var(--thumb) - 4px); height: calc(var(--thumb) - 4px); border-radius: 50%; background: var(--accent); border: 2px solid var(--paper); box-shadow: 0 0 0 1px var(--accent); }
      .ends { display: flex; justify-content: space-between; font-size: 0.8rem; color: var(--ink-2); }
    `,
  ];

  override render() {
    const { from_ms, to_ms } = this.line;
    return html`<canvas aria-hidden="true" @click=${this.#tick}></canvas>
      <input type="range" min=${from_ms} max=${to_ms} step="1000" .value=${String(this.at)} aria-label=${t("history.moment")}
        aria-valuetext=${exactly(this.at)} aria-describedby="keys" @input=${this.#slid} @keydown=${this.#key} />
      <div class="ends" aria-hidden="true"><span>${moment(from_ms)}</span><span>${moment(to_ms)}</span></div>
      <p id="keys" class="visually-hidden">${t("history.slider_keys")}</p>`;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    window.addEventListener("quorate-theme", this.#draw);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener("quorate-theme", this.#draw);
    this.#size.disconnect();
  }

  protected override firstUpdated(): void {
    this.#size.observe(this.canvas);
  }

  protected override updated(changed: PropertyValues): void {
    if (changed.has("events") || changed.has("line") || changed.has("at")) this.#draw();
  }

  readonly #draw = (): void => {
    const [width, ratio] = [this.canvas.clientWidth, devicePixelRatio];
    if (width === 0) return;
    [this.canvas.width, this.canvas.height] = [Math.round(width * ratio), Math.round(TICKS_PX * ratio)];
    const context = this.canvas.getContext("2d");
    if (!context) return;
    context.scale(ratio, ratio);
    const style = getComputedStyle(this);
    const [bad, good, other] = ["--danger", "--ok", "--line-strong"].map((token) => colourOf(this, style, token));
    for (const { at_ms, to, kind } of this.events) {
      if (at_ms < this.line.from_ms || at_ms > this.line.to_ms) continue;
      // A tick stands where something went wrong, hangs where it went well, and is short for everything else.
      const well = to === "ok" || to === "clear" || to === null;
      const [top, height, colour] = kind === "aggregator" ? [9, 8, other] : well ? [TICKS_PX - 9, 9, good] : [0, TICKS_PX - 11, bad];
      context.fillStyle = colour ?? "gray";
      context.fillRect(Math.round(this.#x(at_ms, width)) - 0.75, top, 1.5, height);
    }
    context.fillStyle = colourOf(this, style, "--accent");
    context.fillRect(this.#x(this.at, width) - 0.5, 0, 1, TICKS_PX);
  };

  #x(at_ms: number, width: number): number {
    const { from_ms, to_ms } = this.line;
    return INSET_PX + ((at_ms - from_ms) / Math.max(1, to_ms - from_ms)) * (width - 2 * INSET_PX);
  }

  readonly #slid = (event: Event): void => this.#tell(Number((event.target as HTMLInputElement).value));

  readonly #key = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const next = stepped(event.key, this.at, this.line);
    if (next === null) return;
    event.preventDefault();
    this.#tell(next);
  };

  readonly #tick = (event: MouseEvent): void => {
    const { from_ms, to_ms } = this.line;
    const width = this.canvas.clientWidth - 2 * INSET_PX;
    const at_ms = from_ms + ((event.offsetX - INSET_PX) / width) * (to_ms - from_ms);
    const found = nearest(this.events, at_ms, (REACH_PX / width) * (to_ms - from_ms));
    this.#tell(found?.at_ms ?? Math.round(at_ms / STEP_MS) * STEP_MS);
  };

  #tell(at_ms: number): void {
    const { from_ms, to_ms } = this.line;
    const detail = Math.min(Math.max(at_ms, from_ms), to_ms);
    this.dispatchEvent(new CustomEvent("q-moment", { detail, bubbles: true, composed: true }));
  }
}

/** A token's colour as a canvas takes it: through a property that the browser resolves. */
function colourOf(host: HTMLElement, style: CSSStyleDeclaration, token: string): string {
  host.style.setProperty("outline-color", `var(${token})`);
  const { outlineColor } = style;
  host.style.removeProperty("outline-color");
  return outlineColor;
}
