// The page "Routes".

import { html } from "lit";
import { customElement } from "lit/decorators.js";

import { Page } from "../../parts/page";
import { t } from "../../words";

@customElement("q-routes-page")
export class RoutesPage extends Page {
  override render() {
    return html`<h1 tabindex="-1">${t("page.routes")}</h1>`;
  }
}
