// The page "Edges".

import { html } from "lit";
import { customElement } from "lit/decorators.js";

import { Page } from "../../parts/page";
import { t } from "../../words";

@customElement("q-edges-page")
export class EdgesPage extends Page {
  override render() {
    return html`<h1 tabindex="-1">${t("page.edges")}</h1>`;
  }
}
