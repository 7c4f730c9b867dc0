// Routes: what each one delivers at this moment and in which order, what is withheld and why, and what it delivered before. A
// route that is down to its last resort says so loudly, as does one that delivers nothing.

import { html, nothing } from "lit";
import { customElement } from "lit/decorators.js";

import { all, api, ask, type Schemas } from "../../api/client";
import { Resource } from "../../api/resource";
import { session } from "../../api/session";
import { banner, bannerStyles } from "../../parts/banner";
import "../../parts/mark";
import { Page } from "../../parts/page";
import { standing } from "../../parts/standing";
import "../../parts/time";
import { href } from "../../router";
import { base } from "../../style/base";
import { t } from "../../words";
import { country } from "../../words/numbers";
import { difference } from "./change";
import { routesStyles } from "./style";

interface Read {
  readonly routes: readonly Schemas["RoutePage"][];
  readonly before: readonly Schemas["Event"][];
}

/** Changes that are listed of each route; the history has the rest. */
const BEFORE_MAX = 6;

@customElement("q-routes-page")
export class RoutesPage extends Page {
  readonly #routes = new Resource<Read>(this, read, { every_ms: 5000, on: ({ kind }) => kind === "route" });

  static override styles = [base, bannerStyles, routesStyles];

  override render() {
    return html`<h1 tabindex="-1">${t("page.routes")}</h1>
      ${standing(this.#routes, ({ routes, before }) => (routes.length === 0 ? this.empty() : this.routes(routes, before)))}`;
  }

  private routes(routes: readonly Schemas["RoutePage"][], before: readonly Schemas["Event"][]) {
    const one = routes.filter(({ id }) => this.place.id === "" || id === this.place.id);
    return html`${this.place.id ? html`<p class="back"><a href=${href("routes")}>← ${t("routes.all")}</a></p>` : nothing}
      ${one.map((route) => this.route(route, before.filter(({ subject }) => subject === route.id)))}
      ${one.length === 0 ? html`<p>${t("routes.unknown", { route: this.place.id })}</p>` : nothing}`;
  }

  private route({ id, audience, feed }: Schemas["RoutePage"], before: readonly Schemas["Event"][]) {
    return html`<section aria-labelledby="route-${id}">
      <header>
        <h2 id="route-${id}"><a href=${href("routes", id)}>${id}</a></h2>
        <span class="quiet">${audience.length > 0 ? t("routes.audience", { countries: audience.map(country).join(", ") }) : t("routes.everybody")}</span>
      </header>
      ${feed.deliver.length === 0 ? banner("loud", html`<p><strong>${t("routes.delivers_nothing")}</strong></p>`) : nothing}
      ${feed.last_resort ? banner("loud", html`<p><strong>${t("routes.last_resort")}</strong> ${t("routes.last_resort_what")}</p>`) : nothing}
      <div class="columns">
        <div>
          <h3>${t("routes.delivers", { n: feed.deliver.length })}</h3>
          <ol>${feed.deliver.map((offered) => this.offered(offered))}</ol>
        </div>
        <div>
          <h3>${t("routes.withheld", { n: feed.withheld.length })}</h3>
          ${feed.withheld.length === 0 ? html`<p class="quiet">${t("routes.nothing_withheld")}</p>` : html`<ul class="bare">${feed.withheld.map((held) => this.held(held))}</ul>`}
        </div>
        <div>
          <h3>${t("routes.before")}</h3>
          ${before.length === 0 ? html`<p class="quiet">${t("routes.no_change")}</p>` : html`<ol class="bare before">${before.slice(0, this.place.id ? before.length : BEFORE_MAX).map((event) => this.change(event))}</ol>`}
        </div>
      </div>
    </section>`;
  }

  private offered({ entry_point, server, address, state, reason, tier }: Schemas["Offered"]) {
    return html`<li>
      <q-mark bare .status=${state} .language=${this.language}></q-mark>
      <a class="id" href=${href("server", server)}>${entry_point}</a> <span class="quiet small id">${address ?? ""}</span>
      ${tier > 0 ? html`<span class="doubt">${t("routes.doubtful")}</span>` : nothing}
      ${reason ? html`<div class="quiet small" lang="en">${reason}</div>` : nothing}
    </li>`;
  }

  private held({ entry_point, server, state, reason, failing_since_ms }: Schemas["Withheld"]) {
    return html`<li>
      <q-mark .status=${state} .language=${this.language}></q-mark>
      <a class="id" href=${href("server", server)}>${entry_point}</a>
      <div class="small" lang="en">${reason}</div>
      ${failing_since_ms ? html`<div class="quiet small">${t("routes.failing_since")} <q-time as="moment" .at=${failing_since_ms} .language=${this.language}></q-time></div>` : nothing}
    </li>`;
  }

  private change({ at_ms, from, to, reason }: Schemas["Event"]) {
    const { left, came, reordered } = difference(from, to);
    return html`<li>
      <q-time as="moment" .at=${at_ms} .language=${this.language}></q-time>
      <div>
        ${left.length > 0 ? html`<div><span class="sign" aria-label=${t("routes.left")}>−</span> <span class="id">${left.join(", ")}</span></div>` : nothing}
        ${came.length > 0 ? html`<div><span class="sign" aria-label=${t("routes.came")}>+</span> <span class="id">${came.join(", ")}</span></div>` : nothing}
        ${reordered ? html`<div class="quiet">${t("routes.reordered")}</div>` : nothing}
        <div class="quiet small" lang="en">${reason}</div>
        ${this.place.id && from ? html`<details class="small"><summary>${t("routes.delivered_before")}</summary><span class="id">${from}</span></details>` : nothing}
      </div>
    </li>`;
  }

  private empty() {
    return html`<p>${t("routes.empty")}</p>
      ${session.admin ? html`<p class="first"><a class="button" href=${href("settings", "routes")}>${t("routes.add")}</a></p>` : nothing}`;
  }
}

async function read(): Promise<Read> {
  const page = (after: string | undefined) => ask(api.GET("/api/v1/routes", { params: { query: { limit: 1000, ...(after && { after }) } } }));
  const [routes, before] = await Promise.all([all(page), ask(api.GET("/api/v1/events", { params: { query: { kind: "route", limit: 200 } } }))]);
  return { routes, before: before.items };
}
