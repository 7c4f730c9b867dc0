// The page "Mesh".

import { html } from "lit";
import { customElement } from "lit/decorators.js";

import { Page } from "../../parts/page";
import { t } from "../../words";

@customElement("q-mesh-page")
export class MeshPage extends Page {
  override render() {
    return html`<h1 tabindex="-1">${t("page.mesh")}</h1>`;
  }
}
