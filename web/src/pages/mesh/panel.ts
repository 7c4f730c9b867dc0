// What was chosen in the mesh: of a pair the last knocks both ways, of a target the votes on it, of a witness what it sees and
// whether it is believed.

import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property } from "lit/decorators.js";

import { api, ask, type Schemas } from "../../api/client";
import { Resource } from "../../api/resource";
import { bannerStyles } from "../../parts/banner";
import "../../parts/mark";
import { standing } from "../../parts/standing";
import { href } from "../../router";
import { base } from "../../style/base";
import { t, told } from "../../words";
import { milliseconds, moment } from "../../words/numbers";
import { type Chosen, serverOf } from "./chosen";
import { type Votes, votesOn, weighed } from "./votes";

type Read =
  | { readonly kind: "pair"; readonly there: Knock[]; readonly back: Knock[] }
  | { readonly kind: "target"; readonly votes: Votes; readonly server: Schemas["ServerDetail"] }
  | { readonly kind: "witness"; readonly server: Schemas["ServerDetail"] };

interface Knock {
  readonly witness: string;
  readonly target: string;
  readonly cell: Schemas["Cell"];
}

@customElement("q-mesh-panel")
export class MeshPanel extends LitElement {
  @property({ attribute: false }) chosen!: Chosen;
  @property() language = "en";
  readonly #read = new Resource<Read>(this, () => read(this.chosen), { every_ms: 5000 });

  static override styles = [
    base,
    bannerStyles,
    css`
      :host { display: block; border: 1px solid var(--line); border-radius: var(--radius); background: var(--raised); padding: 0.8rem 1rem; align-self: start; max-height: max(20rem, calc(100vh - 19rem)); overflow: auto; }
      header { display: flex; gap: 0.6rem; align-items: start; justify-content: space-between; margin-bottom: 0.4rem; }
      h2 { overflow-wrap: anywhere; } h3 { margin-block: 0.9rem 0.2rem; }
      ul { display: grid; gap: 0.45rem; }
      li { border-bottom: 1px solid var(--line); padding-bottom: 0.4rem; }
      .bad { color: var(--danger); font-weight: 550; }
      p + p { margin-top: 0.35rem; }
    `,
  ];

  override render() {
    const { witness = "", target = "" } = this.chosen;
    const title = witness && target ? t("mesh.pair", { a: witness, b: target }) : target ? t("mesh.votes_on", { target }) : t("mesh.as_witness", { witness });
    return html`<section aria-label=${title} @keydown=${this.#key}>
      <header><h2 tabindex="-1">${title}</h2><button class="plain" @click=${this.#close} aria-label=${t("mesh.close")}>✕</button></header>
      ${standing(this.#read, (read) => this.#drawn(read))}
    </section>`;
  }

  protected override updated(changed: PropertyValues<this>): void {
    const before = changed.get("chosen");
    if (!before || (before.witness === this.chosen.witness && before.target === this.chosen.target)) return;
    this.#read.reset();
  }

  protected override firstUpdated(): void {
    this.renderRoot.querySelector("h2")?.focus({ preventScroll: true });
  }

  #drawn(read: Read): TemplateResult {
    switch (read.kind) {
      case "pair":
        return this.#pair(read.there, read.back);
      case "target":
        return this.#target(read.votes, read.server);
      case "witness":
        return this.#witness(read.server);
    }
  }

  #pair(there: readonly Knock[], back: readonly Knock[]) {
    const [witness, server] = [this.chosen.witness ?? "", serverOf(this.chosen.target ?? "")];
    return html`<h3>${t("mesh.both_ways")}</h3>
      <ul class="bare">${there.map(knock)}${back.map(knock)}</ul>
      ${back.length === 0 && witness !== server ? html`<p class="quiet">${t("mesh.no_way_back", { server: witness })}</p>` : nothing}
      <p>${more(witness)}</p>
      <p>${witness === server ? nothing : more(server)}</p>`;
  }

  #target(votes: Votes, server: Schemas["ServerDetail"]) {
    const groups = weighed(votes);
    return html`<p><q-mark .status=${server.status} .language=${this.language}></q-mark> ${server.status === "ok" ? nothing : server.text}</p>
      ${groups.length === 0 ? html`<p class="quiet">${t("mesh.no_votes")}</p>` : nothing}
      ${groups.map(
        ({ word, votes }) => html`<h3>${t(`mesh.counts.${word}`)} <span class="quiet num">${votes.length}</span></h3>
          <ul class="bare">${votes.map((vote) => html`<li>
              <a class="id" href=${href("mesh", "", { w: vote.witness })}>${vote.witness}</a> <span class="quiet">${vote.country ?? ""}</span>
              ${told(`cell.${vote.word}`, vote.word)}${vote.streak > 0 ? html`, ${t("mesh.streak", { n: vote.streak })}` : nothing}${since(vote.first_failed_at_ms)}
            </li>`)}</ul>`,
      )}
      <p>${more(server.id)}</p>`;
  }

  #witness(server: Schemas["ServerDetail"]) {
    const half = server.half_blind_witness;
    const told = server.explanation.filter(({ rules }) => rules.some((rule) => rule === "R3" || rule === "R10"));
    return html`<p><q-mark .status=${server.status} .language=${this.language}></q-mark> ${server.status === "ok" ? nothing : server.text}</p>
      ${server.sight.length === 0 ? html`<p class="quiet">${t("mesh.sight_none")}</p>` : nothing}
      <ul class="bare">
        ${server.sight.map(
          ({ lane, seen, neighbours, discredited }) => html`<li>${t("mesh.sight", { lane, seen, neighbours })}${
            discredited ? html` <strong class="bad">▨ ${t("mesh.discredited")}</strong>` : nothing
          }</li>`,
        )}
      </ul>
      ${half ? html`<p class="bad">${t("mesh.half_blind", { unseen: half.unseen.length, judged: half.judged })}</p>` : nothing}
      ${told.map(({ text }) => html`<p class="small" lang="en">${text}</p>`)}
      <p>${more(server.id)}</p>`;
  }

  readonly #key = (event: KeyboardEvent): void => {
    if (event.key === "Escape") this.#close();
  };

  readonly #close = (): void => {
    this.dispatchEvent(new Event("close", { bubbles: true, composed: true }));
  };
}

async function read({ witness, target }: Chosen): Promise<Read> {
  if (witness && target) {
    const server = serverOf(target);
    if (server === witness) return { kind: "pair", there: (await knocks(witness, server)).filter((knock) => knock.target === target), back: [] };
    const [there, back] = await Promise.all([knocks(witness, server), knocks(server, witness)]);
    return { kind: "pair", there: there.filter((knock) => knock.target === target), back };
  }
  const id = witness ?? serverOf(target ?? "");
  const path = { params: { path: { id } } };
  if (witness) return { kind: "witness", server: await ask(api.GET("/api/v1/servers/{id}", path)) };
  const [server, votes] = await Promise.all([ask(api.GET("/api/v1/servers/{id}", path)), ask(api.GET("/api/v1/servers/{id}/votes", path))]);
  return { kind: "target", server, votes: votesOn(target ?? "", votes.votes) };
}

/** How the last knocks of one server on another's entry points ended. */
async function knocks(witness: string, target: string): Promise<Knock[]> {
  const { entry_points, rows } = await ask(api.GET("/api/v1/matrix", { params: { query: { witness, target } } }));
  const cells = rows[0]?.cells ?? [];
  return entry_points.flatMap((id, at) => (cells[at] ? [{ witness, target: id, cell: cells[at] }] : []));
}

function knock({ witness, target, cell }: Knock) {
  const { state, streak = 0, failure, latency_ms } = cell;
  const last = failure ?? (typeof latency_ms === "number" ? t("mesh.answered", { time: milliseconds(latency_ms) }) : t("mesh.nothing_known"));
  const bad = state === "sustained" || state === "held" || state === "failing";
  return html`<li>
    <span class="id">${witness} → ${target}</span><br />
    <span class=${bad ? "bad" : ""}>${t(`cell.${state}`)}</span>${streak > 0 ? html`, ${t("mesh.streak", { n: streak })}` : nothing}
    <span class="quiet">· <span lang=${failure ? "en" : nothing}>${last}</span></span>
  </li>`;
}

function since(at_ms: number | null | undefined) {
  return at_ms ? html` <span class="quiet">${t("mesh.since", { time: moment(at_ms) })}</span>` : nothing;
}

function more(server: string) {
  return html`<a href=${href("server", server)}>${t("mesh.server_page", { server })}</a>`;
}
