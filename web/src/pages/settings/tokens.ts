// Tokens: who may ask what. A secret is shown when it is made and never again.

import { html, nothing, type TemplateResult } from "lit";
import { customElement } from "lit/decorators.js";

import { api, ask, type Schemas } from "../../api/client";
import { Resource } from "../../api/resource";
import { confirm } from "../../parts/confirm";
import "../../parts/copy";
import { Page } from "../../parts/page";
import { standing } from "../../parts/standing";
import "../../parts/time";
import { t, told } from "../../words";
import { field, sectionStyles, text } from "./section";

type Token = Schemas["TokenView"];

const SCOPES = ["feed", "read", "admin"] as const;
const DAY_S = 24 * 3600;

@customElement("q-settings-tokens")
export class TokensSection extends Page {
  readonly #tokens = new Resource<readonly Token[]>(this, async () => (await ask(api.GET("/api/v1/tokens"))).items);

  static override styles = sectionStyles;

  override render() {
    return html`<header><h2>${t("settings.tokens")}</h2><button class="main" @click=${this.make}>${t("tokens.make")}</button></header>
      <p class="quiet note">${t("tokens.what")}</p>
      ${standing(this.#tokens, (tokens) => this.list(tokens))}`;
  }

  private list(tokens: readonly Token[]) {
    return html`<div class="scroll"><table>
      <thead><tr><th scope="col">${t("column.name")}</th><th scope="col">${t("column.scope")}</th><th scope="col">${t("column.made")}</th>
        <th scope="col">${t("column.until")}</th><th scope="col"><span class="visually-hidden">${t("server.acts")}</span></th></tr></thead>
      <tbody>${tokens.map(
        ({ id, name, scopes, created_at_ms, expires_at_ms }) => html`<tr>
          <th scope="row">${name} <span class="quiet small id">${id}</span></th>
          <td>${widest(scopes)}</td>
          <td><q-time as="moment" .at=${created_at_ms} .language=${this.language}></q-time></td>
          <td>${expires_at_ms ? html`<q-time as="moment" .at=${expires_at_ms} .language=${this.language}></q-time>` : t("tokens.for_ever")}</td>
          <td class="acts"><button class="danger" @click=${() => this.revoke(id, name)} aria-label="${t("revoke.do")} ${name}">${t("revoke.do")}</button></td>
        </tr>`,
      )}</tbody>
    </table></div>`;
  }

  private readonly make = async (): Promise<void> => {
    let made: TemplateResult | undefined;
    await confirm({
      title: t("tokens.make"),
      body: html`${field(t("column.name"), html`<input name="name" required autocomplete="off" />`, t("tokens.name_hint"))}
        ${field(t("column.scope"), html`<select name="scope">${SCOPES.map((scope) => html`<option value=${scope} ?selected=${scope === "read"}>${t(`scope.${scope}`)}</option>`)}</select>`)}
        ${field(t("tokens.days"), html`<input name="days" type="number" min="1" max="3650" />`, t("tokens.days_hint"))}`,
      act: t("tokens.make"),
      does: async (form) => {
        const days = text(form, "days");
        const body = { name: text(form, "name") ?? "", scope: text(form, "scope") ?? "read", ...(days && { valid_for_s: Number(days) * DAY_S }) };
        const { token } = await ask(api.POST("/api/v1/tokens", { body }));
        made = html`<p>${t("tokens.made")}</p><p><q-copy .text=${token}></q-copy></p>`;
      },
    });
    if (made) await confirm({ title: t("tokens.make"), body: made, act: t("dialog.done"), does: async () => {} });
    await this.#tokens.refresh();
  };

  private async revoke(id: string, name: string): Promise<void> {
    await confirm({
      title: t("tokens.revoke_title", { name }),
      body: t("tokens.revoke_body"),
      act: t("revoke.do"),
      danger: true,
      does: async () => {
        await ask(api.DELETE("/api/v1/tokens/{id}", { params: { path: { id } } }));
      },
    });
    await this.#tokens.refresh();
  }
}

/** A token has the narrower scopes beside the wide one. */
function widest(scopes: readonly string[]): string | typeof nothing {
  const scope = SCOPES.findLast((known) => scopes.includes(known));
  return scope ? told(`scope.${scope}`, scope) : nothing;
}
