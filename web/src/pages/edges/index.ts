// Edges: the forwarders before the gateway. Two numbers of each address, TCP to the edge and TLS through it to the gateway, tell
// which half of the way fails; who sits on which edge since when; and what stands, with what to do.

import { css, html, nothing } from "lit";
import { customElement } from "lit/decorators.js";

import { all, api, ask, type Schemas } from "../../api/client";
import { Resource } from "../../api/resource";
import { banner, bannerStyles } from "../../parts/banner";
import "../../parts/mark";
import { Page } from "../../parts/page";
import { standing } from "../../parts/standing";
import "../../parts/time";
import { href } from "../../router";
import { base } from "../../style/base";
import { t, told } from "../../words";
import { milliseconds } from "../../words/numbers";

interface Read {
  readonly edges: readonly Schemas["EdgeView"][];
  readonly watch: Schemas["WatchView"];
}

/** An edge's or address' state, drawn as a status' shape. */
const SHAPES: Record<string, string> = {
  ok: "ok", unknown: "no_data", unreachable: "unreachable", forwards_nothing: "blocked", foreign: "down",
};

@customElement("q-edges-page")
export class EdgesPage extends Page {
  readonly #edges = new Resource<Read>(this, read, { on: ({ kind }) => kind === "edge" || kind === "session" });

  static override styles = [
    base,
    bannerStyles,
    css`
      :host { display: block; }
      section { border-top: 1px solid var(--line-strong); margin-top: 1.3rem; padding-top: 0.9rem; }
      header { display: flex; flex-wrap: wrap; gap: 0.2rem 1rem; align-items: baseline; margin-bottom: 0.5rem; }
      h2 { font-family: var(--mono); }
      .columns { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 1rem 2.6rem; }
      h3 { color: var(--ink-2); font-size: 0.87rem; margin-bottom: 0.3rem; }
      .agents { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: 0.1rem 1rem; }
      .authority { overflow-wrap: anywhere; }
      @media (max-width: 60rem) { .columns { grid-template-columns: 1fr; } }
    `,
  ];

  override render() {
    return html`<h1 tabindex="-1">${t("page.edges")}</h1>
      ${standing(this.#edges, ({ edges, watch }) => html`${this.watch(watch, edges)} ${edges.map((edge) => this.edge(edge))}`)}`;
  }

  private watch(watch: Schemas["WatchView"], edges: readonly Schemas["EdgeView"][]) {
    const own = (id: string) => edges.some((edge) => edge.id === id);
    return html`<p class="quiet">${told(`watch.${watch.state}`, watch.state)}
        ${watch.looked_at_ms ? html`${t("edges.looked")} <q-time .at=${watch.looked_at_ms} .language=${this.language}></q-time>.` : nothing}</p>
      ${watch.alerts.filter(({ subject }) => !own(subject)).map((alert) => this.alert(alert))}
      ${watch.unlisted.length > 0 ? html`<section><h3>${t("edges.unlisted")}</h3>${this.addresses(watch.unlisted)}</section>` : nothing}
      ${watch.past.length > 0 ? html`<section><h3>${t("edges.past")}</h3>${this.agents(watch.past)}</section>` : nothing}
      <p class="quiet small authority">${t("edges.gateway")} <code>${watch.gateway.join(", ")}</code> · ${t("edges.authority")} <code>${watch.authority}</code></p>`;
  }

  private edge(edge: Schemas["EdgeView"]) {
    return html`<section id=${edge.id}>
      <header>
        <h2>${edge.id}</h2>
        ${this.state(edge.state, edge.since_ms)}
        <span class="quiet"><code>${edge.networks.join(", ")}</code> · ${t(`proxy.${edge.proxy ?? "optional"}`)}</span>
      </header>
      ${edge.alerts.map((alert) => this.alert(alert))}
      <div class="columns">
        <div>${this.addresses(edge.addresses)}</div>
        <div><h3>${t("edges.agents", { n: edge.agents.length })}</h3>${this.agents(edge.agents)}</div>
      </div>
    </section>`;
  }

  private alert({ fact, advice, since_ms, trouble }: Schemas["AlertView"]) {
    const loud = ["unreachable", "forwards_nothing", "foreign", "unresolved"].includes(trouble);
    return banner(loud ? "loud" : "warn", html`<p lang="en"><strong>${fact}</strong></p><p lang="en">${advice}</p>`,
      html`<span class="quiet small">${t("server.for")} <q-time as="for" .at=${since_ms} .language=${this.language}></q-time></span>`);
  }

  private state(state: string, since_ms: number | null | undefined) {
    const key = SHAPES[state] ?? "no_data";
    return html`<span class="nowrap"><q-mark bare .status=${key} .language=${this.language}></q-mark> ${told(`edge.${state}`, state)}
      ${since_ms ? html`<span class="quiet small">${t("server.for")} <q-time as="for" .at=${since_ms} .language=${this.language}></q-time></span>` : nothing}</span>`;
  }

  private addresses(addresses: readonly Schemas["AddressView"][]) {
    if (addresses.length === 0) return html`<p class="quiet">${t("edges.no_address")}</p>`;
    const number = (value: number | null | undefined) => (typeof value === "number" ? milliseconds(value) : "–");
    return html`<div class="scroll"><table>
      <thead><tr><th scope="col">${t("column.address")}</th><th scope="col">${t("column.state")}</th><th scope="col">${t("edges.connect")}</th>
        <th scope="col">${t("edges.handshake")}</th><th scope="col">${t("edges.failure")}</th></tr></thead>
      <tbody>${addresses.map(
        ({ address, state, since_ms, connect_ms, handshake_ms, failure }) => html`<tr><th scope="row" class="id">${address}</th>
          <td>${this.state(state, since_ms)}</td><td class="num">${number(connect_ms)}</td><td class="num">${number(handshake_ms)}</td>
          <td><code>${failure ?? ""}</code></td></tr>`,
      )}</tbody>
    </table></div>`;
  }

  private agents(agents: readonly Schemas["AgentView"][]) {
    if (agents.length === 0) return html`<p class="quiet">${t("edges.no_agents")}</p>`;
    return html`<ul class="bare agents">
      ${agents.map(({ server, since_ms }) => html`<li><a class="id" href=${href("server", server)}>${server}</a>
        <span class="quiet small">${t("edges.since")} <q-time as="moment" .at=${since_ms} .language=${this.language}></q-time></span></li>`)}
    </ul>`;
  }
}

async function read(): Promise<Read> {
  let watch: Schemas["WatchView"] | undefined;
  const edges = await all(async (after) => {
    const page = await ask(api.GET("/api/v1/edges", { params: { query: { limit: 1000, ...(after && { after }) } } }));
    watch = page.watch;
    return page;
  });
  // A list has at least one page.
  return { edges, watch: watch as Schemas["WatchView"] };
}
