// The page "Backtest".

import { html } from "lit";
import { customElement } from "lit/decorators.js";

import { Page } from "../../parts/page";
import { t } from "../../words";

@customElement("q-backtest-page")
export class BacktestPage extends Page {
  override render() {
    return html`<h1 tabindex="-1">${t("page.backtest")}</h1>`;
  }
}
