// `<q-copy text="…">`: a text to be taken elsewhere, in full, with a button that copies it. Where the browser refuses (a page
// without TLS), the text is selected so that a key does it.

import { css, html, LitElement } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";

import { base } from "../style/base";
import { t } from "../words";

@customElement("q-copy")
export class Copy extends LitElement {
  @property() text = "";
  @state() private copied: "no" | "yes" | "selected" = "no";
  @query("code") private shown!: HTMLElement;

  static override styles = [
    base,
    css`
      :host { display: flex; gap: 0.5rem; align-items: start; }
      code { background: var(--sunken); border: 1px solid var(--line); border-radius: var(--radius); padding: 0.4rem 0.6rem; overflow-wrap: anywhere; white-space: pre-wrap; flex: 1 1 auto; min-width: 0; }
      button { flex: none; }
    `,
  ];

  override render() {
    const word = { no: "copy.do", yes: "copy.done", selected: "copy.selected" } as const;
    return html`<code tabindex="0">${this.text}</code><button type="button" @click=${this.copy}>${t(word[this.copied])}</button>
      <span class="visually-hidden" role="status">${this.copied === "no" ? "" : t(word[this.copied])}</span>`;
  }

  private async copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(this.text);
      this.copied = "yes";
    } catch {
      getSelection()?.selectAllChildren(this.shown);
      this.copied = "selected";
    }
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "q-copy": Copy;
  }
}
