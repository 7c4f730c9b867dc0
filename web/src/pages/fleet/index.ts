// The fleet: every server with its status, who calls for somebody first. Filters live in the address, so that a view can be
// handed on; events change rows at once and the whole is asked for behind them.

import { css, html, nothing } from "lit";
import { customElement, state } from "lit/decorators.js";

import { all, api, ask, type Schemas } from "../../api/client";
import { type Happened, live } from "../../api/live";
import { Resource } from "../../api/resource";
import { session } from "../../api/session";
import { banner, bannerStyles } from "../../parts/banner";
import { Page } from "../../parts/page";
import { standing } from "../../parts/standing";
import { href, keepQuery } from "../../router";
import { base } from "../../style/base";
import { t, told } from "../../words";
import { country, number } from "../../words/numbers";
import { lines } from "./banners";
import { filtersStyles } from "./filters-style";
import { merged } from "./merge";
import { BY_URGENCY, counts, type Filter, filterOf, queryOf, type ServerRow, shown, type Sort, SORTS } from "./rows";
import "./table";

interface Fleet {
  readonly summary: Schemas["Summary"];
  readonly rows: readonly ServerRow[];
  readonly stale_after_ms: number;
}

@customElement("q-fleet-page")
export class FleetPage extends Page {
  @state() private announced = "";
  readonly #fleet = new Resource<Fleet>(this, read, { on: ({ kind }) => kind !== "edge" });
  readonly #lines = new Resource(this, () => ask(api.GET("/api/v1/metrics/lines")), { every_ms: 60_000 });
  #off: (() => void) | undefined;

  static override styles = [base, bannerStyles, filtersStyles, css`:host { display: block; }`];

  override connectedCallback(): void {
    super.connectedCallback();
    this.#off = live.on((happened) => this.merge(happened));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#off?.();
  }

  override render() {
    return html`${standing(this.#fleet, (fleet) => this.fleet(fleet))}
      <p class="visually-hidden" role="status">${this.announced}</p>`;
  }

  private fleet({ summary, rows, stale_after_ms }: Fleet) {
    if (rows.length === 0) return this.empty();
    const filter = filterOf(this.place.query);
    const found = shown(rows, filter);
    return html`<div class="head">
        <h1 tabindex="-1">${t("fleet.title", { n: rows.length })}</h1>
        ${this.statuses(rows, filter)}
      </div>
      ${lines(summary, stale_after_ms).map(({ loudness, title, text }) => banner(loudness, html`<p><strong>${title}.</strong> ${text}</p>`))}
      ${this.filters(rows, filter, found.length)}
      ${found.length === 0
        ? html`<p class="nobody">${t("fleet.nobody")} <button @click=${this.clear}>${t("fleet.clear")}</button></p>`
        : html`<q-fleet-table
            .rows=${found}
            .lines=${this.#lines.value?.servers ?? {}}
            .sort=${filter.sort}
            .backwards=${filter.backwards}
            .language=${this.language}
            @sort=${(event: CustomEvent<{ sort: Sort; backwards: boolean }>) => this.filter({ ...filter, ...event.detail })}
          ></q-fleet-table>`}`;
  }

  private statuses(rows: readonly ServerRow[], filter: Filter) {
    const found = counts(rows);
    const unknown = [...found.keys()].filter((status) => !BY_URGENCY.some((known) => known === status));
    const any = [...unknown, ...BY_URGENCY].filter((status) => found.has(status) || filter.statuses.has(status));
    return html`<div class="statuses" role="group" aria-label=${t("fleet.by_status")}>
      ${any.map(
        (status) => html`<button aria-pressed=${filter.statuses.has(status)} @click=${() => this.toggle(filter, status)}>
          <span class="count num">${number(found.get(status) ?? 0)}</span><q-mark .status=${status} .language=${this.language}></q-mark>
        </button>`,
      )}
    </div>`;
  }

  private filters(rows: readonly ServerRow[], filter: Filter, found: number) {
    const countries = [...new Set(rows.map((row) => row.country).filter((code) => typeof code === "string"))].sort();
    const narrowed = filter.search !== "" || filter.statuses.size > 0 || filter.country !== "";
    return html`<search class="filters" aria-label=${t("fleet.filters")}>
      <label class="search"><span class="visually-hidden">${t("fleet.search")}</span>
        <input type="search" placeholder="${t("fleet.search")}: ${t("fleet.search_hint")}" .value=${filter.search}
          @input=${(event: Event) => this.filter({ ...filter, search: (event.target as HTMLInputElement).value })} /></label>
      <label><span class="visually-hidden">${t("fleet.country")}</span>
        <select @change=${(event: Event) => this.filter({ ...filter, country: (event.target as HTMLSelectElement).value })}>
          <option value="" ?selected=${filter.country === ""}>${t("fleet.country_all")}</option>
          ${countries.map((code) => html`<option value=${code} ?selected=${code === filter.country}>${country(code)}</option>`)}
        </select></label>
      <label class="sort"><span>${t("fleet.sort")}</span>
        <select @change=${(event: Event) => this.filter({ ...filter, sort: (event.target as HTMLSelectElement).value as Sort, backwards: false })}>
          ${SORTS.map((sort) => html`<option value=${sort} ?selected=${sort === filter.sort}>${t(`sort.${sort}`)}</option>`)}
        </select></label>
      <span class="quiet small found" role="status">${narrowed ? t("fleet.shown", { n: found, all: rows.length }) : nothing}</span>
      ${narrowed ? html`<button class="plain" @click=${this.clear}>${t("fleet.clear")}</button>` : nothing}
    </search>`;
  }

  private empty() {
    return html`<h1 tabindex="-1">${t("fleet.empty")}</h1>
      ${session.admin
        ? html`<p>${t("fleet.empty_do")}</p>
            <p class="first"><a class="button main" href=${href("settings", "servers")}>${t("fleet.add")}</a></p>`
        : html`<p>${t("fleet.empty_ask")}</p>`}`;
  }

  private toggle(filter: Filter, status: string): void {
    const statuses = new Set(filter.statuses);
    if (!statuses.delete(status)) statuses.add(status);
    this.filter({ ...filter, statuses });
  }

  private filter(filter: Filter): void {
    const query = queryOf(filter);
    keepQuery(this.place, query);
    this.place = { ...this.place, query: new URLSearchParams(query) };
  }

  private readonly clear = (): void => {
    const { sort, backwards } = filterOf(this.place.query);
    this.filter({ search: "", statuses: new Set(), country: "", sort, backwards });
  };

  private merge(happened: Happened): void {
    const fleet = this.#fleet.value;
    if (!fleet) return;
    const rows = merged(fleet.rows, happened);
    if (rows === fleet.rows) return;
    this.#fleet.value = { ...fleet, rows };
    if (happened.kind === "server_status" && happened.to) {
      this.announced = `${happened.subject}: ${told(`status.${happened.to}`, happened.to)}`;
    }
    this.requestUpdate();
  }
}

async function page(after: string | undefined) {
  return ask(api.GET("/api/v1/servers", { params: { query: { limit: 1000, ...(after && { after }) } } }));
}

async function read(): Promise<Fleet> {
  const [summary, policy, rows] = await Promise.all([ask(api.GET("/api/v1/fleet")), ask(api.GET("/api/v1/policy")), all(page)]);
  return { summary, rows, stale_after_ms: policy.effective.stale_after_ms };
}
