// `<q-mesh-list>`: the mesh as a table, for those who read it or have it read to them: the cells that do not see first, found by
// the name of a witness or a target.

import { css, html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";

import { base } from "../style/base";
import { t } from "../words";
import { number } from "../words/numbers";
import { type Found, findCells } from "./find";
import type { Mesh } from "./mesh";
import { STREAK_MAX, stateOf, streakOf } from "./states";

/** What a person reads at a time. */
const PAGE = 100;

@customElement("q-mesh-list")
export class MeshList extends LitElement {
  @property({ attribute: false }) matrix: Mesh | undefined;
  @property() language = "en";
  @state() private text = "";
  @state() private onlyTrouble = true;
  @state() private limit = PAGE;

  static override styles = [
    base,
    css`
      .fields { display: flex; flex-wrap: wrap; gap: 0.5rem 1.2rem; align-items: end; margin-block: 0.6rem; }
      .fields label.check { font-weight: 400; padding-bottom: 0.4rem; }
      td.num { text-align: right; } th.num { text-align: right; }
    `,
  ];

  override render() {
    if (!this.matrix) return nothing;
    const found = findCells(this.matrix, this.text, this.onlyTrouble, this.limit);
    return html`<div class="fields">
        <div><label for="text">${t("mesh.filter")}</label><input id="text" type="search" .value=${this.text} @input=${this.#typed} autocomplete="off" /></div>
        <label class="check"><input type="checkbox" .checked=${this.onlyTrouble} @change=${this.#only} /> ${t("mesh.only_trouble")}</label>
      </div>
      <div class="scroll"><table>
        <caption role="status">${t("mesh.found", { n: found.count })}</caption>
        <thead><tr>
          <th scope="col">${t("mesh.witness")}</th><th scope="col">${t("mesh.target")}</th><th scope="col">${t("mesh.state")}</th>
          <th scope="col" class="num">${t("mesh.failures")}</th><th scope="col"><span class="visually-hidden">${t("mesh.open")}</span></th>
        </tr></thead>
        <tbody>${found.cells.map((cell) => this.#row(this.matrix as Mesh, cell))}</tbody>
      </table></div>
      ${found.count > this.limit ? html`<p><button @click=${() => (this.limit += PAGE)}>${t("mesh.more")}</button></p>` : nothing}`;
  }

  #row(mesh: Mesh, { row, column, cell }: Found) {
    const [witness, target] = [mesh.witnesses[row]?.witness, mesh.targets[column]?.entry_point];
    const streak = streakOf(cell);
    const open = () => this.dispatchEvent(new CustomEvent("q-cell", { detail: { row, column }, bubbles: true, composed: true }));
    return html`<tr>
      <th scope="row" class="id">${witness}</th><td class="id">${target}</td><td>${t(`cell.${stateOf(cell)}`)}</td>
      <td class="num">${streak === 0 ? "" : streak >= STREAK_MAX ? `≥ ${number(STREAK_MAX)}` : number(streak)}</td>
      <td><button class="small" @click=${open} aria-label=${`${t("mesh.open")}: ${t("mesh.pair", { a: witness ?? "", b: target ?? "" })}`}>${t("mesh.open")}</button></td>
    </tr>`;
  }

  readonly #typed = (event: Event): void => {
    this.text = (event.target as HTMLInputElement).value;
    this.limit = PAGE;
  };

  readonly #only = (event: Event): void => {
    this.onlyTrouble = (event.target as HTMLInputElement).checked;
    this.limit = PAGE;
  };
}
