// `<q-news>`: whether what the page shows is fresh. Quiet while it is; after a while without a word from the aggregator it says
// since when, to screen readers too.

import { css, html, LitElement } from "lit";
import { customElement, property } from "lit/decorators.js";

import { live } from "../api/live";
import { t } from "../words";
import { span } from "../words/numbers";

/** Pages ask at least each 10 s: twice that without an answer is no accident. */
export const OLD_MS = 20_000;

@customElement("q-news")
export class News extends LitElement {
  @property() language = "en";
  #timer: ReturnType<typeof setInterval> | undefined;

  static override styles = css`
    :host { display: inline-block; color: var(--ink-2); }
    .old { color: var(--danger); font-weight: 600; }
    .dot { display: inline-block; width: 0.5em; height: 0.5em; border-radius: 50%; background: var(--ok); margin-right: 0.4em; }
    .polling .dot { background: none; box-shadow: inset 0 0 0 2px var(--ink-2); }
  `;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#timer = setInterval(() => this.requestUpdate(), 1000);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#timer);
  }

  override render() {
    const quiet_ms = Date.now() - live.heard_at_ms;
    const old = live.heard_at_ms > 0 && quiet_ms > OLD_MS;
    if (old) return html`<span class="old"><span aria-hidden="true">!</span> ${t("news.old", { span: span(quiet_ms) })}</span>`;
    return html`<span class=${live.connected ? "" : "polling"}><span class="dot" aria-hidden="true"></span>${t(live.connected ? "news.live" : "news.polling")}</span>`;
  }
}
