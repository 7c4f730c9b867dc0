// The page "History".

import { html } from "lit";
import { customElement } from "lit/decorators.js";

import { Page } from "../../parts/page";
import { t } from "../../words";

@customElement("q-history-page")
export class HistoryPage extends Page {
  override render() {
    return html`<h1 tabindex="-1">${t("page.history")}</h1>`;
  }
}
