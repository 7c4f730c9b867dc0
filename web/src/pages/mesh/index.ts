// The mesh: who sees whom, as a picture or as a table, with the patterns in it told in words; and beside it whatever was chosen
// in it. What is chosen lives in the address (`#/mesh?w=ru-1&t=nl-1/tls`), so that it can be handed on.

import { css, html, nothing } from "lit";
import { customElement, query, state } from "lit/decorators.js";

import { api, ask } from "../../api/client";
import { Resource } from "../../api/resource";
import type { MeshCanvas } from "../../mesh/canvas";
import "../../mesh/canvas";
import { type Caption, figureOf } from "../../mesh/captions";
import { described, describedTarget } from "../../mesh/describe";
import "../../mesh/legend";
import "../../mesh/list";
import type { Mesh } from "../../mesh/mesh";
import { MatrixReader } from "../../mesh/reader";
import type { Place as Cell } from "../../mesh/viewport";
import { bannerStyles } from "../../parts/banner";
import { Page } from "../../parts/page";
import { standing } from "../../parts/standing";
import { keepQuery } from "../../router";
import { base } from "../../style/base";
import { t } from "../../words";
import { exactly } from "../../words/numbers";
import { type Chosen, chosenIn, queryOf } from "./chosen";
import "./panel";

/** A round is a minute: asking each 5 s shows a report soon after it came, and costs a 304 where nothing did. */
const EVERY_MS = 5000;
const CONCERNS = new Set(["server_status", "entry_point_state", "half_blind", "country_cut", "aggregator"]);

@customElement("q-mesh-page")
export class MeshPage extends Page {
  @state() private asTable = false;
  @state() private pointed = "";
  @query("q-mesh-canvas") private canvas: MeshCanvas | undefined;

  #reader: MatrixReader | undefined;
  readonly #mesh = new Resource<Mesh>(this, () => this.#read(), { every_ms: EVERY_MS, on: ({ kind }) => CONCERNS.has(kind) });
  readonly #captions = new Resource<Caption[]>(this, () => ask(api.GET("/api/v1/matrix/captions")), { on: ({ kind }) => CONCERNS.has(kind) });

  static override styles = [
    base,
    bannerStyles,
    css`
      :host { display: block; }
      .head { display: flex; flex-wrap: wrap; gap: 0.2rem 1rem; align-items: baseline; }
      .head .tools { margin-left: auto; }
      .lead { margin-block: 0.15rem 0.6rem; max-width: none; }
      ul.captions { margin-block: 0 0.6rem; display: flex; flex-wrap: wrap; gap: 0.35rem; max-height: 7.2rem; overflow: auto; }
      .captions button { text-align: left; min-height: 1.9rem; padding-block: 0.15rem; }
      .both { display: grid; gap: 0.9rem; grid-template-columns: minmax(0, 1fr); margin-top: 0.5rem; }
      .both.open { grid-template-columns: minmax(0, 1fr) minmax(17rem, 25rem); }
      q-mesh-canvas { height: max(20rem, calc(100vh - 19rem)); }
      .pointed { min-height: 1.5em; margin-top: 0.35rem; max-width: none; }
      @media (max-width: 60rem) { .both.open { grid-template-columns: minmax(0, 1fr); } q-mesh-canvas { height: 62vh; } }
    `,
  ];

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#reader?.close();
    this.#reader = undefined;
  }

  override render() {
    return html`<div class="head">
        <h1 tabindex="-1">${t("page.mesh")}</h1>
        ${this.#mesh.value ? this.size(this.#mesh.value) : nothing}
        <div class="tools"><button aria-pressed=${this.asTable} @click=${() => (this.asTable = !this.asTable)}>${t(this.asTable ? "mesh.show_picture" : "mesh.show_table")}</button></div>
      </div>
      <p class="lead quiet">${t("mesh.lead")}</p>
      ${standing(this.#mesh, (mesh) => (mesh.rows.count === 0 ? html`<p>${t("mesh.empty")}</p>` : this.mesh(mesh)))}`;
  }

  private size(mesh: Mesh) {
    const size = t("mesh.size", { rows: mesh.rows.count, columns: mesh.columns.count });
    return html`<span class="quiet">${size}, ${t("mesh.as_of", { time: exactly(mesh.evaluated_at_ms) })}</span>`;
  }

  private mesh(mesh: Mesh) {
    const chosen = chosenIn(this.place.query);
    return html`${this.captions(mesh)}
      <q-mesh-legend .counts=${mesh.counts} .language=${this.language}></q-mesh-legend>
      <div class="both ${chosen ? "open" : ""}" @q-cell=${this.#cell} @q-row=${this.#row} @q-column=${this.#column} @q-cursor=${this.#pointed} @close=${this.#close}>
        <div>
          ${this.asTable
            ? html`<q-mesh-list .matrix=${mesh} .language=${this.language}></q-mesh-list>`
            : html`<q-mesh-canvas .matrix=${mesh} .language=${this.language}></q-mesh-canvas>
                <p class="pointed small" aria-hidden="true">${this.pointed}</p>`}
        </div>
        ${chosen ? html`<q-mesh-panel .chosen=${chosen} .language=${this.language}></q-mesh-panel>` : nothing}
      </div>`;
  }

  private captions(mesh: Mesh) {
    const captions = this.#captions.value;
    if (!captions) return nothing;
    if (captions.length === 0) return html`<p class="lead quiet">${t("mesh.no_captions")}</p>`;
    return html`<ul class="captions bare" aria-label=${t("mesh.captions")}>
      ${captions.map((caption) => {
        const figure = figureOf(mesh, caption);
        return html`<li lang="en"><button ?disabled=${!figure} @click=${() => this.#show(caption)}>${caption.text}</button></li>`;
      })}
    </ul>`;
  }

  async #read(): Promise<Mesh> {
    this.#reader ??= new MatrixReader();
    const mesh = await this.#reader.read("/api/v1/matrix/packed");
    // A newer question took this one's place: what is there stays until that is answered.
    return mesh ?? this.#mesh.value ?? Promise.reject(new Error("no matrix"));
  }

  async #show(caption: Caption): Promise<void> {
    const figure = this.#mesh.value && figureOf(this.#mesh.value, caption);
    if (!figure) return;
    this.asTable = false;
    await this.updateComplete;
    this.canvas?.frame(figure.rows, figure.columns);
    this.canvas?.stand(figure.first);
  }

  readonly #cell = ({ detail }: CustomEvent<Cell>): void => this.#choose({ witness: this.#witness(detail), target: this.#target(detail) });
  readonly #row = ({ detail }: CustomEvent<Cell>): void => this.#choose({ witness: this.#witness(detail) });
  readonly #column = ({ detail }: CustomEvent<Cell>): void => this.#choose({ target: this.#target(detail) });
  readonly #close = (): void => {
    this.#choose(null);
    void this.updateComplete.then(() => this.canvas?.focus());
  };

  readonly #pointed = ({ detail }: CustomEvent<Cell | null>): void => {
    const mesh = this.#mesh.value;
    this.pointed = mesh && detail ? `${described(mesh, detail)} · ${describedTarget(mesh, detail.column)}` : "";
  };

  #witness({ row }: Cell): string {
    return this.#mesh.value?.witnesses[row]?.witness ?? "";
  }

  #target({ column }: Cell): string {
    return this.#mesh.value?.targets[column]?.entry_point ?? "";
  }

  #choose(chosen: Chosen | null): void {
    const asked = queryOf(chosen);
    keepQuery(this.place, asked);
    this.place = { ...this.place, query: new URLSearchParams(asked) };
  }
}
