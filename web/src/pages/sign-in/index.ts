// Signing in: a token is exchanged for a session, and is nowhere kept by the page.

import { css, html, nothing } from "lit";
import { customElement, query, state } from "lit/decorators.js";

import { Refusal } from "../../api/client";
import { session } from "../../api/session";
import { Page } from "../../parts/page";
import { base } from "../../style/base";
import { t } from "../../words";

@customElement("q-sign-in-page")
export class SignInPage extends Page {
  @state() private told = "";
  @state() private waiting = false;
  @query("input") private field!: HTMLInputElement;

  static override styles = [
    base,
    css`
      :host { display: block; max-width: 27rem; padding-top: 12vh; }
      form { display: grid; gap: 0.6rem; margin-top: 1.4rem; }
      .told { color: var(--danger); }
      input { width: 100%; font-family: var(--mono); }
    `,
  ];

  override firstUpdated(): void {
    this.field.focus();
  }

  override render() {
    return html`<h1 tabindex="-1">${t("sign_in.title")}</h1>
      <p class="quiet">${t("sign_in.what")}</p>
      <form @submit=${this.submit}>
        <label for="token">${t("sign_in.token")}</label>
        <input
          id="token"
          type="password"
          autocomplete="current-password"
          spellcheck="false"
          required
          aria-describedby="told where"
          aria-invalid=${this.told ? "true" : "false"}
        />
        <p id="told" class="told" role="alert">${this.told || nothing}</p>
        <div><button class="main" ?disabled=${this.waiting}>${t("sign_in.do")}</button></div>
        <p id="where" class="quiet small">${t("sign_in.where")} <code>quorate-aggregator token create</code></p>
      </form>`;
  }

  private async submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    this.waiting = true;
    this.told = "";
    try {
      await session.signIn(this.field.value.trim());
    } catch (error) {
      this.told = error instanceof Refusal ? told(error) : String(error);
      await this.updateComplete;
      this.field.select();
    } finally {
      this.waiting = false;
    }
  }
}

function told(refusal: Refusal): string {
  if (refusal.status === 401) return t("sign_in.unknown");
  if (refusal.status === 429) return t("sign_in.too_many");
  return refusal.status === 0 ? t("load.no_answer") : refusal.message;
}
