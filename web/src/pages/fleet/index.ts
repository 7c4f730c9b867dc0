// The page "Fleet".

import { html } from "lit";
import { customElement } from "lit/decorators.js";

import { Page } from "../../parts/page";
import { t } from "../../words";

@customElement("q-fleet-page")
export class FleetPage extends Page {
  override render() {
    return html`<h1 tabindex="-1">${t("page.fleet")}</h1>`;
  }
}
