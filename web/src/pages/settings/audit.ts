// The audit: who changed what, when and from where, and what is different since.

import { css, html, nothing } from "lit";
import { customElement, state } from "lit/decorators.js";

import { api, ask, type Schemas } from "../../api/client";
import { Resource } from "../../api/resource";
import { Page } from "../../parts/page";
import { standing } from "../../parts/standing";
import "../../parts/time";
import { t } from "../../words";
import { differences } from "./difference";
import { sectionStyles } from "./section";

type Entry = Schemas["AuditView"] & { readonly before?: unknown; readonly after?: unknown };
interface Entries {
  readonly items: readonly Entry[];
  readonly next?: string | null;
}

@customElement("q-settings-audit")
export class AuditSection extends Page {
  readonly #newest = new Resource<Entries>(this, () => read(undefined));
  /** Pages that were asked for beyond the newest one. */
  @state() private older: readonly Entry[] = [];
  @state() private next: string | null | undefined;

  static override styles = [
    ...sectionStyles,
    css`
      .difference { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0 0.7rem; font-size: 0.87rem; }
      .difference code { overflow-wrap: anywhere; }
      del { color: var(--danger); } ins { color: var(--ok); text-decoration: none; }
      td { min-width: 5rem; }
    `,
  ];

  override render() {
    return html`<header><h2>${t("settings.audit")}</h2></header>
      ${standing(this.#newest, ({ items, next }) => this.list([...items, ...this.older], this.older.length > 0 ? this.next : next))}`;
  }

  private list(entries: readonly Entry[], next: string | null | undefined) {
    return html`<div class="scroll"><table>
        <thead><tr><th scope="col">${t("column.when")}</th><th scope="col">${t("column.by")}</th><th scope="col">${t("column.did")}</th>
          <th scope="col">${t("column.to_what")}</th><th scope="col">${t("column.changed")}</th><th scope="col">${t("column.detail")}</th></tr></thead>
        <tbody>${entries.map((entry) => this.row(entry))}</tbody>
      </table></div>
      ${next ? html`<p><button @click=${() => this.more(next)}>${t("audit.older")}</button></p>` : nothing}`;
  }

  private row({ at_ms, by, action, subject, detail, before, after }: Entry) {
    return html`<tr>
      <td class="nowrap"><q-time as="moment" .at=${at_ms} .language=${this.language}></q-time></td>
      <td>${by}</td><td class="id small">${action}</td><td class="id">${subject}</td>
      <td><div class="difference">${differences(before, after).map(
        ({ path, before: was, after: is }) => html`<span class="id quiet">${path}</span>
          <span>${was === undefined ? nothing : html`<del><code>${was}</code></del> `}${is === undefined ? nothing : html`<ins><code>${is}</code></ins>`}</span>`,
      )}</div></td>
      <td class="quiet small">${detail}</td>
    </tr>`;
  }

  private async more(after: string): Promise<void> {
    const page = await read(after);
    this.older = [...this.older, ...page.items];
    this.next = page.next;
  }
}

function read(after: string | undefined): Promise<Entries> {
  return ask(api.GET("/api/v1/audit", { params: { query: { limit: 100, ...(after && { after }) } } }));
}
