// `<q-backtest-result>`: what would have been different, in the aggregator's sentences first, then by server and by route.

import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";

import type { Schemas } from "../../api/client";
import { href } from "../../router";
import { base } from "../../style/base";
import { t } from "../../words";
import { exactly, number } from "../../words/numbers";
import "./spans";

@customElement("q-backtest-result")
export class BacktestResultView extends LitElement {
  @property({ attribute: false }) test!: Schemas["Backtest"];
  @property() language = "en";

  static override styles = [
    base,
    css`
      h2 { margin-block: 1.5rem 0.4rem; }
      .sentences { font-size: 1.05rem; padding-left: 1.2rem; } .sentences li { margin-block: 0.25rem; max-width: var(--measure); }
      .num { text-align: right; }
      td.line { min-width: 14rem; width: 40%; }
      summary { cursor: pointer; } details ul { margin: 0.2rem 0 0; padding-left: 1.1rem; }
    `,
  ];

  override render() {
    const { result, from_ms, to_ms } = this.test;
    if (!result) return nothing;
    return html`<h2>${t("backtest.result")}</h2>
      <p class="quiet">${t("backtest.from_to", { from: exactly(from_ms), to: exactly(to_ms) })} · ${t("backtest.reports", { n: result.reports })}</p>
      <ul class="sentences" lang="en">${result.sentences.map((sentence) => html`<li>${sentence}</li>`)}</ul>
      ${result.servers.length > 0 ? this.#servers(result) : nothing} ${result.routes.length > 0 ? this.#routes(result) : nothing}
      ${result.left_out ? html`<p class="quiet" lang="en">${result.left_out}</p>` : nothing}`;
  }

  #servers({ servers }: Schemas["BacktestResult"]) {
    const { from_ms, to_ms } = this.test;
    return html`<div class="scroll"><table>
      <thead><tr>
        <th scope="col">${t("backtest.server")}</th><th scope="col" class="num">${t("backtest.minutes_was")}</th>
        <th scope="col" class="num">${t("backtest.minutes_would")}</th><th scope="col">${t("backtest.line")}</th>
      </tr></thead>
      <tbody>${servers.map(
        ({ server, withheld_minutes, verdicts }) => html`<tr>
          <th scope="row"><a class="id" href=${href("server", server)}>${server}</a></th>
          <td class="num">${number(withheld_minutes.was, 1)}</td>
          <td class="num">${number(withheld_minutes.would, 1)}</td>
          <td class="line">
            <q-verdict-line .verdicts=${verdicts} .from=${from_ms} .to=${to_ms} .language=${this.language}></q-verdict-line>
            <details><summary>${t("backtest.verdicts")} <span class="quiet num">${number(verdicts.length)}</span></summary>
              <ul lang="en">${verdicts.map(({ text, from_ms }) => html`<li><a href=${href("history", "", { at: String(from_ms) })}>${text}</a></li>`)}</ul>
            </details>
          </td>
        </tr>`,
      )}</tbody>
    </table></div>`;
  }

  #routes({ routes }: Schemas["BacktestResult"]) {
    return html`<div class="scroll"><table>
      <thead><tr>
        <th scope="col">${t("backtest.route")}</th><th scope="col" class="num">${t("backtest.minutes_was")}</th><th scope="col" class="num">${t("backtest.minutes_would")}</th>
        <th scope="col" class="num">${t("backtest.last_resort_was")}</th><th scope="col" class="num">${t("backtest.would")}</th>
      </tr></thead>
      <tbody>${routes.map(
        ({ route, withheld_minutes, last_resort_minutes }) => html`<tr>
          <th scope="row"><a class="id" href=${href("routes", route)}>${route}</a></th>
          <td class="num">${number(withheld_minutes.was, 1)}</td><td class="num">${number(withheld_minutes.would, 1)}</td>
          <td class="num">${number(last_resort_minutes.was, 1)}</td><td class="num">${number(last_resort_minutes.would, 1)}</td>
        </tr>`,
      )}</tbody>
    </table></div>`;
  }
}
