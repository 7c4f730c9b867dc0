// The page "Settings".

import { html } from "lit";
import { customElement } from "lit/decorators.js";

import { Page } from "../../parts/page";
import { t } from "../../words";

@customElement("q-settings-page")
export class SettingsPage extends Page {
  override render() {
    return html`<h1 tabindex="-1">${t("page.settings")}</h1>`;
  }
}
