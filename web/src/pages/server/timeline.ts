// `<q-server-timeline server="nl-1">`: the statuses of the last 24 hours as a strip, and beneath it what happened in words: when,
// what it became and why. Beside the strip each status stands with its shape, its word and how long it was, so nothing hangs on colour alone.

import { css, html, LitElement, nothing, type PropertyValues, svg } from "lit";
import { customElement, property } from "lit/decorators.js";

import { api, ask, type Schemas } from "../../api/client";
import { Resource } from "../../api/resource";
import { bannerStyles } from "../../parts/banner";
import "../../parts/mark";
import { standing } from "../../parts/standing";
import "../../parts/time";
import { href } from "../../router";
import { base } from "../../style/base";
import { t, told } from "../../words";
import { moment, span } from "../../words/numbers";
import { pieces, type Piece } from "./spans";

interface Read {
  readonly history: Schemas["StatusHistory"];
  readonly events: readonly Schemas["Event"][];
}

/** Changes that are listed; the history page has the rest. */
const EVENTS_MAX = 8;

@customElement("q-server-timeline")
export class Timeline extends LitElement {
  @property() server = "";
  @property() language = "en";
  readonly #read = new Resource<Read>(this, () => read(this.server), { every_ms: 60_000, on: ({ kind, subject }) => kind === "server_status" && subject === this.server });

  static override styles = [
    base,
    bannerStyles,
    css`
      :host { display: block; }
      svg { width: 100%; height: 1.7rem; display: block; }
      rect { shape-rendering: crispEdges; }
      .ok { fill: color-mix(in srgb, var(--ok) 55%, var(--paper)); } .marked, .contested { fill: var(--marked); } .degraded { fill: var(--degraded); }
      .blocked { fill: var(--blocked); } .unreachable, .down { fill: var(--unreachable); }
      .no_data { fill: var(--line-strong); } .pending, .disabled, .unknown { fill: var(--line); }
      .ends { display: flex; justify-content: space-between; font-size: 0.8rem; color: var(--ink-2); margin-top: 0.15rem; }
      .times { display: flex; flex-wrap: wrap; gap: 0.2rem 1.4rem; margin-block: 0.5rem; font-size: 0.9rem; }
      li.happened { display: grid; grid-template-columns: 8rem 9.5rem 1fr; gap: 0.7rem; padding-block: 0.25rem; border-bottom: 1px solid var(--line); }
      @media (max-width: 46rem) { li.happened { grid-template-columns: 6rem 1fr; } li.happened .why { grid-column: 1 / -1; } }
    `,
  ];

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("server") && changed.get("server")) this.#read.reset();
  }

  override render() {
    return html`${standing(this.#read, ({ history, events }) => this.draw(history, events))}`;
  }

  private draw(history: Schemas["StatusHistory"], events: readonly Schemas["Event"][]) {
    const found = pieces(history);
    const totals = new Map<string, number>();
    for (const { status, ms } of found) totals.set(status, (totals.get(status) ?? 0) + ms);
    const words = [...totals].filter(([status]) => status !== "unknown").sort(([, a], [, b]) => b - a);
    return html`<svg viewBox="0 0 1000 20" preserveAspectRatio="none" role="img" aria-label=${words.map(([status, ms]) => `${told(`status.${status}`, status)} ${span(ms)}`).join(", ")}>
        ${found.map((piece) => this.piece(piece))}
      </svg>
      <div class="ends"><span>${moment(history.from_ms)}</span><span>${moment(history.to_ms)}</span></div>
      <ul class="bare times">${words.map(([status, ms]) => html`<li><q-mark .status=${status} .language=${this.language}></q-mark> <span class="quiet num">${span(ms)}</span></li>`)}</ul>
      ${events.length === 0
        ? html`<p class="quiet">${t("timeline.nothing")}</p>`
        : html`<ol class="bare">${events.map((event) => this.happened(event))}</ol>`}
      <p class="small"><a href=${href("history", "", { subject: this.server })}>${t("timeline.more")}</a></p>`;
  }

  private piece({ status, from, share }: Piece) {
    const x = from * 1000;
    // Never too thin to be seen: a minute's block is what one looks for.
    return svg`<rect class=${status} x=${x} y="0" width=${Math.max(share * 1000, 1.5)} height="20"></rect>`;
  }

  private happened({ at_ms, to, reason }: Schemas["Event"]) {
    return html`<li class="happened">
      <q-time as="clock" .at=${at_ms} .language=${this.language}></q-time>
      ${to ? html`<q-mark .status=${to} .language=${this.language}></q-mark>` : nothing}
      <span class="why small" lang="en">${reason}</span>
    </li>`;
  }
}

async function read(server: string): Promise<Read> {
  const [history, events] = await Promise.all([
    ask(api.GET("/api/v1/servers/{id}/history", { params: { path: { id: server } } })),
    ask(api.GET("/api/v1/events", { params: { query: { kind: "server_status", subject: server, limit: EVENTS_MAX } } })),
  ]);
  return { history, events: events.items };
}
