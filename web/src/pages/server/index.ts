// The page "Server".

import { html } from "lit";
import { customElement } from "lit/decorators.js";

import { Page } from "../../parts/page";
import { t } from "../../words";

@customElement("q-server-page")
export class ServerPage extends Page {
  override render() {
    return html`<h1 tabindex="-1">${t("page.server")}</h1>`;
  }
}
