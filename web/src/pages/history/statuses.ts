// `<q-past-statuses>`: what was known of each server at a moment beside what was said of it, differences marked, and why, for
// whichever one asks.

import { css, html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";

import { Refusal, type Schemas, unanswered } from "../../api/client";
import { bannerStyles } from "../../parts/banner";
import "../../parts/mark";
import { problem } from "../../parts/problem";
import { href } from "../../router";
import { base } from "../../style/base";
import { t } from "../../words";
import { clock } from "../../words/numbers";
import { type Compared, compared } from "./compared";
import { type Moment, readReasons } from "./read";

@customElement("q-past-statuses")
export class PastStatuses extends LitElement {
  @property({ attribute: false }) moment!: Moment;
  @property() language = "en";
  @state() private onlyDiffers = false;
  /** Whose reasons are open, and what they are, once they came. */
  @state() private open: { id: string; at_ms: number; sentences?: Schemas["SentenceView"][]; failed?: Refusal } | undefined;

  static override styles = [
    base,
    bannerStyles,
    css`
      tr.differs > * { background: var(--warn-wash); }
      .flag { color: var(--degraded); font-weight: 600; white-space: nowrap; }
      td > ul { margin: 0; padding-left: 1.1rem; } li { margin-block: 0.2rem; }
      .reasons td { background: var(--sunken); padding-left: 0.8rem; }
      label { font-weight: 400; }
    `,
  ];

  override render() {
    const rows = compared(this.moment);
    const { differs } = this.moment;
    const shown = this.onlyDiffers ? rows.filter((row) => row.differs) : rows;
    return html`<p>
        ${differs.length > 0 ? html`<strong class="flag">≠ ${t("history.differs", { n: differs.length })}</strong>` : html`<span class="quiet">${t("history.agrees")}</span>`}
      </p>
      ${differs.length > 0 ? html`<label><input type="checkbox" .checked=${this.onlyDiffers} @change=${this.#only} /> ${t("history.only_differs")}</label>` : nothing}
      <div class="scroll"><table>
        <thead><tr>
          <th scope="col">${t("history.server")}</th><th scope="col">${t("history.known")}</th><th scope="col">${t("history.said")}</th>
          <th scope="col">${t("history.since")}</th><th scope="col"><span class="visually-hidden">${t("history.why")}</span></th>
        </tr></thead>
        <tbody>${shown.map((row) => this.#row(row))}</tbody>
      </table></div>`;
  }

  #row(row: Compared) {
    const isOpen = this.open?.id === row.id && this.open.at_ms === this.moment.at_ms;
    return html`<tr class=${row.differs ? "differs" : ""}>
        <th scope="row"><a class="id" href=${href("server", row.id)}>${row.id}</a> <span class="quiet">${row.country}</span></th>
        <td><q-mark .status=${row.known} .language=${this.language}></q-mark> <span class="quiet small">${row.known === "ok" ? nothing : row.text}</span></td>
        <td>
          ${row.said ? html`<q-mark .status=${row.said} .language=${this.language}></q-mark>` : html`<span class="quiet">${t("history.nothing_said")}</span>`}
          ${row.differs ? html`<span class="flag">≠ ${t("history.differs_here")}</span>` : nothing}
        </td>
        <td class="nowrap">${row.said_since_ms === null ? nothing : clock(row.said_since_ms)}</td>
        <td><button class="small" aria-expanded=${isOpen} aria-label=${`${t("history.why")}: ${row.id}`} @click=${() => this.#toggle(row.id)}>${t("history.why")}</button></td>
      </tr>
      ${isOpen ? html`<tr class="reasons"><td colspan="5">${this.#reasons()}</td></tr>` : nothing}`;
  }

  #reasons() {
    const { sentences, failed } = this.open ?? {};
    if (failed) return problem(failed);
    if (!sentences) return html`<span class="quiet" role="status">${t("history.asking")}</span>`;
    return html`<ul lang="en">${sentences.map(({ text, rules }) => html`<li>${text} <span class="quiet small">${rules.join(", ")}</span></li>`)}</ul>`;
  }

  async #toggle(id: string): Promise<void> {
    const { at_ms } = this.moment;
    if (this.open?.id === id && this.open.at_ms === at_ms) {
      this.open = undefined;
      return;
    }
    const asked = { id, at_ms };
    this.open = asked;
    const read = await readReasons(at_ms, id).catch((error: unknown) => (error instanceof Refusal ? error : unanswered(error)));
    if (this.open !== asked) return;
    this.open = read instanceof Refusal ? { ...asked, failed: read } : { ...asked, sentences: read.sentences };
  }

  readonly #only = (event: Event): void => {
    this.onlyDiffers = (event.target as HTMLInputElement).checked;
  };
}
