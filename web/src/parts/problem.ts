// A refusal as it is: the API's own sentence says what, where and what to do, so nothing is put in its place.

import { html, nothing, type TemplateResult } from "lit";

import type { Refusal } from "../api/client";
import { t } from "../words";
import { banner } from "./banner";

export function problem(refusal: Refusal, again?: () => unknown): TemplateResult {
  const { detail, status, title } = refusal.problem;
  const what =
    status === 0
      ? html`<p><strong>${t("load.no_answer")}</strong> <span class="quiet">${detail}</span></p>`
      : html`<p><strong>${refusal.word === "changed_meanwhile" ? t("change.meanwhile") : title}</strong></p>
          <p lang="en">${detail}</p>`;
  return banner("loud", what, again ? html`<button @click=${again}>${t("load.again")}</button>` : nothing);
}
