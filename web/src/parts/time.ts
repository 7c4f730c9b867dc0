// `<q-time .at=${ms}>`: a moment as "3 min ago" or, with `as="moment"`, as the time of day; the whole moment with its zone is in
// the title. One ticker redraws all of them, so that a page of a hundred rows does not wake a hundred times.

import { html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";

import { currentLanguage } from "../words";
import { ago, exactly, moment, span } from "../words/numbers";

const EVERY_MS = 5000;
const shown = new Set<Time>();
let ticker: ReturnType<typeof setInterval> | undefined;

@customElement("q-time")
export class Time extends LitElement {
  /** Unix milliseconds. */
  @property({ attribute: false }) at: number | null | undefined;
  /** `ago`, `moment`, or `for`: how long it has been. */
  @property() as: "ago" | "moment" | "for" = "ago";
  @property() language = currentLanguage();

  override createRenderRoot() {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    shown.add(this);
    ticker ??= setInterval(() => {
      for (const time of shown) if (time.as !== "moment") time.requestUpdate();
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
    const told = this.as === "moment" ? moment(this.at) : this.as === "for" ? span(Date.now() - this.at) : ago(this.at);
    return html`<time datetime=${new Date(this.at).toISOString()} title=${exactly(this.at)}>${told}</time>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "q-time": Time;
  }
}
