// `<q-time .at=${ms}>`: a moment as "3 min ago" or, as the time of day; the whole moment with its zone is in
// the title. One ticker redraws all of them, so that a page of a hundred rows does not wake a hundred times.

import { html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";

import { currentLanguage } from "../words";
import { ago, clock, exactly, moment, span } from "../words/numbers";

const EVERY_MS = 5000;
const shown = new Set<Time>();
let ticker: ReturnType<typeof setInterval> | undefined;

@customElement("q-time")
export class Time extends LitElement {
  /** Unix milliseconds. */
  @property({ attribute: false }) at: number | null | undefined;
  /** `ago`; `moment` or, to the second, `clock`; or `for`: how long it has been. */
  @property() as: "ago" | "moment" | "clock" | "for" = "ago";
  @property() language = currentLanguage();

  override createRenderRoot() {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    shown.add(this);
    ticker ??= setInterval(() => {
      for (const time of shown) if (time.as === "ago" || time.as === "for") time.requestUpdate();
    }, EVERY_MS);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    shown.delete(this);
    if (shown.size > 0) return;
    clearInterval(ticker);
    ticker = undefined;
  }

  override render() {
    if (this.at === undefined || this.at === null) return nothing;
    return html`<time datetime=${new Date(this.at).toISOString()} title=${exactly(this.at)}>${this.told(this.at)}</time>`;
  }

  private told(at: number): string {
    switch (this.as) {
      case "ago":
        return ago(at);
      case "moment":
        return moment(at);
      case "clock":
        return clock(at);
      case "for":
        return span(Date.now() - at);
    }
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "q-time": Time;
  }
}
