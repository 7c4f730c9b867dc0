// A server: why it is as it is, who says so, what to do and what would lift it come first; the evidence, its agent and what it
// measured stand below.

import { css, html, nothing } from "lit";
import { customElement } from "lit/decorators.js";

import { Resource } from "../../api/resource";
import { session } from "../../api/session";
import { bannerStyles } from "../../parts/banner";
import "../../parts/mark";
import { Page } from "../../parts/page";
import { standing } from "../../parts/standing";
import "../../parts/time";
import { href } from "../../router";
import { base } from "../../style/base";
import { t } from "../../words";
import { country } from "../../words/numbers";
import { enrol, revoke, setAddress, setIntent } from "./acts";
import "./metrics";
import "./timeline";
import { agentStyles, report, session as sessionFacts } from "./agent";
import { asWitness, entries, evidenceStyles, votes } from "./evidence";
import { read, type Read } from "./read";
import { type Findings, sorted } from "./sentences";
import { serverStyles } from "./style";
import { verdict, verdictStyles } from "./verdict";

@customElement("q-server-page")
export class ServerPage extends Page {
  readonly #server = new Resource<Read>(this, () => read(this.place.id), {
    every_ms: 5000,
    on: ({ subject }) => subject === this.place.id || subject.startsWith(`${this.place.id}/`),
  });
  #id = "";

  static override styles = [base, bannerStyles, verdictStyles, evidenceStyles, agentStyles, serverStyles, css`:host { display: block; }`];

  override willUpdate(): void {
    if (this.#id !== "" && this.#id !== this.place.id) this.#server.reset();
    this.#id = this.place.id;
  }

  override render() {
    return html`<p class="back"><a href=${href("fleet")}>← ${t("page.fleet")}</a></p>
      ${standing(this.#server, (found) => this.server(found))}`;
  }

  private server({ detail, witnesses, source }: Read) {
    const found = sorted(detail.explanation, detail.entry_points.map(({ id }) => id));
    const changeable = session.admin && source === "api" && Boolean(detail.declared);
    return html`<header>
        <h1 tabindex="-1">${detail.id}</h1>
        <span class="status"><q-mark .status=${detail.status} .language=${this.language}></q-mark>
          <span class="quiet">${t("server.for")} <q-time as="for" .at=${detail.since_ms} .language=${this.language}></q-time>,
            ${t("edges.since")} <q-time as="clock" .at=${detail.since_ms} .language=${this.language}></q-time></span></span>
        ${changeable ? this.acts(detail) : nothing}
        <p class="quiet where">${this.where(detail)}</p>
      </header>
      ${verdict(detail, found, witnesses, changeable ? this.firstAct(detail) : nothing)}
      ${asWitness(detail)}
      ${session.admin && source !== "api" ? html`<p class="quiet small">${t("change.declared", { file: source })}</p>` : nothing}
      <section><h2>${t("server.entry_points")}</h2>${entries(detail.evidence, this.language)}</section>
      ${witnesses.length === 0
        ? nothing
        : html`<section><h2>${t("server.votes")}</h2><p class="quiet small">${t("server.votes_what")}</p>
            ${votes(witnesses, detail.evidence, detail.id, this.language)}</section>`}
      <section><h2>${t("server.timeline")}</h2><q-server-timeline .server=${detail.id} .language=${this.language}></q-server-timeline></section>
      <section><h2>${t("server.metrics")}</h2><q-server-metrics .server=${detail.id} .language=${this.language}></q-server-metrics></section>
      <section><h2>${t("server.sentences")}</h2>${found.findings.map((group) => this.findings(group))}</section>
      <div class="pair">
        <section><h2>${t("server.agent")}</h2>${sessionFacts(detail, this.language)}
          ${changeable ? html`<p class="acts"><button @click=${() => this.done(enrol(detail.id))}>${t("enrol.do")}</button>
            <button class="danger" @click=${() => this.done(revoke(detail.id))}>${t("revoke.do")}</button></p>` : nothing}</section>
        <section><h2>${t("server.report")}</h2>${report(detail.last_report, this.language)}</section>
      </div>`;
  }

  private where(detail: Read["detail"]) {
    const parts = [
      detail.country ? country(detail.country) : t("server.no_country"),
      detail.site,
      detail.declared?.address,
      detail.verifier ? t("tag.verifier") : undefined,
      detail.intent === "active" ? undefined : t(`tag.${detail.intent === "drained" ? "drained" : "disabled"}`),
    ];
    return parts.filter(Boolean).join(" · ");
  }

  private acts(detail: Read["detail"]) {
    const button = (intent: "active" | "drained" | "disabled") =>
      intent === detail.intent
        ? nothing
        : html`<button class=${intent === "disabled" ? "danger" : ""} @click=${() => this.done(setIntent(detail, intent))}>${t(`intent.${intent}`)}</button>`;
    // What takes the server away altogether stands apart, at the end.
    return html`<div class="acts" role="group" aria-label=${t("server.acts")}>
      <button @click=${() => this.done(setAddress(detail))}>${t("address.do")}</button>
      ${button("active")}${button("drained")}${button("disabled")}
    </div>`;
  }

  /** The act that the advice names, where this page can do it. */
  private firstAct(detail: Read["detail"]) {
    switch (detail.status) {
      case "blocked":
      case "unreachable":
        return html`<p class="acts"><button class="main" @click=${() => this.done(setAddress(detail))}>${t("address.do")}</button>
          <button @click=${() => this.done(setIntent(detail, "drained"))}>${t("intent.drained")}</button></p>`;
      case "pending":
        return html`<p class="acts"><button class="main" @click=${() => this.done(enrol(detail.id))}>${t("enrol.do")}</button></p>`;
      case "disabled":
        return html`<p class="acts"><button class="main" @click=${() => this.done(setIntent(detail, "active"))}>${t("intent.active")}</button></p>`;
      default:
        return nothing;
    }
  }

  private findings({ about, sentences }: Findings) {
    return html`${about ? html`<h3 class="id">${about}</h3>` : nothing}
      <ul class="bare sentences" lang="en">
        ${sentences.map(({ text, rules }) => html`<li>${text} <span class="rules" title=${t("server.rules")}>${rules.join(" ")}</span></li>`)}
      </ul>`;
  }

  private async done(act: Promise<void>): Promise<void> {
    await act;
    await this.#server.refresh();
  }
}
