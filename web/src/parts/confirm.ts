// Asking before something that hurts: a dialog of the browser's own, which keeps the focus and gives it back. Where the act is
// refused, the refusal is shown in it; what was typed stays.

import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";

import { Refusal, unanswered } from "../api/client";
import { base } from "../style/base";
import { t } from "../words";
import { bannerStyles } from "./banner";
import { problem } from "./problem";

export interface Question {
  readonly title: string;
  /** What it does and what cannot be undone; fields too. */
  readonly body: TemplateResult | string;
  /** The word on the button. */
  readonly act: string;
  readonly danger?: boolean;
  /** Does it; what it throws is shown, and the dialog stays. `form` has the fields of the body. */
  readonly does: (form: FormData) => Promise<void>;
  /** Tells whether a refusal may be overruled; the act is then offered again with this word, and `does` gets `force` = `yes`. */
  readonly force?: (refusal: Refusal) => string | undefined;
}

@customElement("q-confirm")
export class Confirm extends LitElement {
  @property({ attribute: false }) question!: Question;
  @state() private refused: Refusal | undefined;
  @state() private waiting = false;
  @query("dialog") private dialog!: HTMLDialogElement;
  @query("form") private form!: HTMLFormElement;

  static override styles = [
    base,
    bannerStyles,
    css`
      dialog { color: var(--ink); background: var(--paper); border: 1px solid var(--line-strong); border-radius: 8px; padding: 1.3rem 1.5rem; width: min(36rem, 94vw); max-height: 92vh; overflow: auto; }
      dialog::backdrop { background: rgb(0 0 0 / 45%); }
      form { display: grid; gap: 0.8rem; }
      .acts { display: flex; gap: 0.6rem; justify-content: flex-end; flex-wrap: wrap; }
      label { margin-bottom: 0.15rem; }
      label input, label select, label textarea { font-weight: 400; margin-top: 0.15rem; }
      .grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(14rem, 100%), 1fr)); gap: 0.6rem 1rem; align-items: start; }
      .grid details, .grid > button { grid-column: 1 / -1; }
      .field { display: grid; gap: 0.15rem; align-content: start; margin-bottom: 0.5rem; }
      .grid .field { margin-bottom: 0; }
      .point { border-top: 1px solid var(--line); padding-block: 0.7rem; }
      details .field { margin-top: 0.5rem; }
      h3 { margin-top: 0.9rem; margin-bottom: 0.3rem; }
      input:not([type="checkbox"]), select, textarea { width: 100%; }
    `,
  ];

  override firstUpdated(): void {
    this.dialog.showModal();
  }

  override render() {
    const { title, body, act, danger } = this.question;
    const force = this.refused && this.question.force?.(this.refused);
    return html`<dialog aria-labelledby="title" @close=${() => this.remove()}>
      <form @submit=${(event: Event) => this.act(event, false)}>
        <h2 id="title">${title}</h2>
        <div>${typeof body === "string" ? html`<p>${body}</p>` : body}</div>
        ${this.refused ? problem(this.refused) : nothing}
        <div class="acts">
          <button type="button" @click=${() => this.dialog.close()}>${t("dialog.cancel")}</button>
          ${force ? html`<button type="button" class="danger" ?disabled=${this.waiting} @click=${(event: Event) => this.act(event, true)}>${force}</button>` : nothing}
          <button class=${danger ? "danger" : "main"} ?disabled=${this.waiting}>${act}</button>
        </div>
      </form>
    </dialog>`;
  }

  private async act(event: Event, forced: boolean): Promise<void> {
    event.preventDefault();
    this.waiting = true;
    try {
      const fields = new FormData(this.form);
      if (forced) fields.set("force", "yes");
      await this.question.does(fields);
      this.dialog.close();
    } catch (error) {
      this.refused = error instanceof Refusal ? error : unanswered(error);
    } finally {
      this.waiting = false;
    }
  }
}

/** Puts a question; resolves when the dialog is gone, however it went. */
export function confirm(question: Question): Promise<void> {
  const asked = document.createElement("q-confirm") as Confirm;
  asked.question = question;
  document.body.append(asked);
  return new Promise((resolve) => {
    const gone = new MutationObserver(() => {
      if (asked.isConnected) return;
      gone.disconnect();
      resolve();
    });
    gone.observe(document.body, { childList: true });
  });
}
