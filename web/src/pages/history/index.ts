// History: a slider over the archive, and at the moment that it stands on what was known, what was said, the mesh and what
// routes delivered. The moment lives in the address (`#/history?at=1796023714441`), so that it can be handed on.

import { css, html, nothing } from "lit";
import { customElement, state } from "lit/decorators.js";

import { home, Refusal, unanswered } from "../../api/client";
import { Resource } from "../../api/resource";
import "../../mesh/canvas";
import { described } from "../../mesh/describe";
import "../../mesh/legend";
import type { Mesh } from "../../mesh/mesh";
import { MatrixReader } from "../../mesh/reader";
import type { Place as Cell } from "../../mesh/viewport";
import { banner, bannerStyles } from "../../parts/banner";
import "../../parts/mark";
import { Page } from "../../parts/page";
import { problem } from "../../parts/problem";
import { standing } from "../../parts/standing";
import { href, keepQuery } from "../../router";
import { base } from "../../style/base";
import { t, told } from "../../words";
import { clock, country, exactly, number, span } from "../../words/numbers";
import { Latest } from "./latest";
import { type Archive, type Happened, type Moment, readArchive, readMoment } from "./read";
import "./slider";
import "./statuses";
import { around, type Line, lineOf, neighbours, SPANS_H, STEP_MS, within } from "./timeline";

/** The archive grows by the minute; the slider need not grow faster. */
const EVERY_MS = 60_000;
const REST_MS = 140;
const EVENTS_SHOWN = 12;
const HOUR_MS = 3_600_000;

interface Then {
  readonly moment: Moment;
  readonly mesh: Mesh | null;
}

@customElement("q-history-page")
export class HistoryPage extends Page {
  @state() private at_ms: number | undefined;
  @state() private hours = 24;
  @state() private found: Then | undefined;
  @state() private failed: Refusal | undefined;
  @state() private pointed = "";

  #reader: MatrixReader | undefined;
  readonly #archive = new Resource<Archive>(this, readArchive, { every_ms: EVERY_MS });
  readonly #latest = new Latest<Then>(
    REST_MS,
    (found) => {
      this.found = found;
      this.failed = undefined;
    },
    (error) => {
      this.failed = error instanceof Refusal ? error : unanswered(error);
    },
  );

  static override styles = [
    base,
    bannerStyles,
    css`
      :host { display: block; }
      h2 { margin-block: 1.6rem 0.5rem; }
      .when { position: sticky; top: 0; z-index: 2; background: var(--paper); padding-block: 0.5rem; border-bottom: 1px solid var(--line); }
      .when .row { display: flex; flex-wrap: wrap; gap: 0.4rem 0.6rem; align-items: center; }
      .when .at { font-size: 1.25rem; font-weight: 650; font-variant-numeric: tabular-nums; min-width: 15rem; }
      .when .spans { margin-left: auto; display: flex; gap: 0.4rem; align-items: center; }
      .when label { font-weight: 400; }
      .range { max-width: none; }
      .counts { display: flex; flex-wrap: wrap; gap: 0.2rem 1.1rem; margin-block: 0.6rem; }
      .old { opacity: 0.55; }
      q-mesh-canvas { height: min(34rem, 60vh); margin-top: 0.5rem; }
      .pointed { min-height: 1.5em; }
      .two { display: grid; gap: 0 2.5rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); }
      .exports { display: flex; flex-wrap: wrap; gap: 0.6rem; margin-top: 1.6rem; align-items: center; }
      tr.here > * { background: var(--accent-wash); }
    `,
  ];

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#latest.cancel();
    this.#reader?.close();
    this.#reader = undefined;
  }

  override render() {
    return html`<h1 tabindex="-1">${t("page.history")}</h1>
      <p class="quiet">${t("history.lead")}</p>
      ${standing(this.#archive, (archive) => (archive.line ? this.#page(archive, archive.line) : html`<p>${t("history.empty")}</p>`))}`;
  }

  #page(archive: Archive, whole: Line) {
    if (this.at_ms === undefined) this.#begin(whole);
    const line = lineOf(whole, this.hours);
    const at_ms = within(this.at_ms ?? line.to_ms, line);
    return html`${this.#when(archive, whole, line, at_ms)} ${this.failed ? problem(this.failed, () => this.#ask(at_ms)) : nothing}
      ${this.found ? this.#then(this.found) : this.failed ? nothing : html`<p class="quiet" role="status">${t("history.asking")}</p>`}
      ${this.#events(archive, at_ms)} ${this.#exports(line)}`;
  }

  #when({ events, cut }: Archive, whole: Line, line: Line, at_ms: number) {
    const { before, after } = neighbours(events, at_ms);
    const to = (moment_ms: number | undefined) => () => moment_ms !== undefined && this.#move(moment_ms, whole);
    return html`<div class="when" @q-moment=${(event: CustomEvent<number>) => this.#move(event.detail, whole)}>
        <div class="row">
          <strong class="at">${exactly(at_ms)}</strong>
          <button @click=${to(within(at_ms - STEP_MS, line))} ?disabled=${at_ms <= line.from_ms}>${t("history.back")}</button>
          <button @click=${to(within(at_ms + STEP_MS, line))} ?disabled=${at_ms >= line.to_ms}>${t("history.on")}</button>
          <button @click=${to(before?.at_ms)} ?disabled=${!before}>${t("history.event_before")}</button>
          <button @click=${to(after?.at_ms)} ?disabled=${!after}>${t("history.event_after")}</button>
          <button @click=${to(whole.to_ms)}>${t("history.now")}</button>
          <span class="spans"><label for="span">${t("history.span")}</label>
            <select id="span" @change=${this.#chooseSpan}>
              ${SPANS_H.map((hours) => html`<option value=${hours} ?selected=${hours === this.hours}>${span(hours * HOUR_MS)}</option>`)}
              <option value="0" ?selected=${this.hours === 0}>${t("history.all")}</option>
            </select></span>
        </div>
        <q-time-slider .line=${line} .at=${at_ms} .events=${events} .language=${this.language}></q-time-slider>
      </div>
      <p class="range quiet small">${t("history.range", { from: exactly(whole.from_ms), to: exactly(whole.to_ms) })}
        ${cut ? t("history.events_cut", { count: number(events.length) }) : nothing}</p>`;
  }

  #then({ moment: then, mesh }: Then) {
    const { footing, known } = then;
    const counts = Object.entries(known.counts).sort(([, a], [, b]) => b - a);
    return html`<div class=${this.#latest.asking ? "old" : ""} aria-busy=${this.#latest.asking}>
      ${footing.stopped_since_ms ? banner("warn", t("history.stopped", { time: exactly(footing.stopped_since_ms) })) : nothing}
      ${footing.kind === "short" ? banner("warn", html`${t("history.footing.short")} <span lang="en">${footing.caution ?? ""}</span>`) : html`<p class="quiet small">${t(`history.footing.${footing.kind}`)}</p>`}
      <div class="counts">${counts.map(([status, count]) => html`<span><strong class="num">${number(count)}</strong> <q-mark .status=${status} .language=${this.language}></q-mark></span>`)}</div>
      ${known.country_cuts.map((cut) => banner("warn", t("history.cuts", { country: country(cut.country), lane: cut.lane })))}
      <div class="two">
        <section><h2>${t("history.known")} / ${t("history.said")}</h2><q-past-statuses .moment=${then} .language=${this.language}></q-past-statuses></section>
        <section>
          <h2>${t("history.mesh_then")}</h2>
          ${mesh ? html`<q-mesh-legend .counts=${mesh.counts} .language=${this.language}></q-mesh-legend>
            <q-mesh-canvas .matrix=${mesh} .language=${this.language} @q-cursor=${this.#pointed}></q-mesh-canvas>
            <p class="pointed small" aria-hidden="true">${this.pointed}</p>` : nothing}
          ${this.#routes(then)}
        </section>
      </div>
    </div>`;
  }

  #routes({ known }: Moment) {
    if (known.routes.length === 0) return nothing;
    return html`<h2>${t("history.routes_then")}</h2>
      <div class="scroll"><table>
        <thead><tr><th scope="col">${t("page.routes")}</th><th scope="col">${t("history.delivered")}</th><th scope="col">${t("history.withheld")}</th></tr></thead>
        <tbody>${known.routes.map(
          ({ id, deliver, withheld, last_resort }) => html`<tr>
            <th scope="row" class="id">${id}</th>
            <td>${deliver.join(", ")} ${last_resort ? html`<strong>! ${t("history.last_resort")}</strong>` : nothing}</td>
            <td>${withheld.join(", ")}</td>
          </tr>`,
        )}</tbody>
      </table></div>`;
  }

  #events({ events }: Archive, at_ms: number) {
    const shown = around(events, at_ms, EVENTS_SHOWN);
    return html`<h2>${t("history.events")}</h2>
      ${shown.length === 0 ? html`<p class="quiet">${t("history.no_events")}</p>` : nothing}
      <div class="scroll"><table><tbody>${shown.map((event) => this.#event(event, at_ms))}</tbody></table></div>`;
  }

  #event({ at_ms, kind, subject, to, reason }: Happened, now_ms: number) {
    const go = (event: Event) => {
      event.preventDefault();
      if (this.#archive.value?.line) this.#move(at_ms, this.#archive.value.line);
    };
    return html`<tr class=${at_ms === now_ms ? "here" : ""} aria-current=${at_ms === now_ms ? "time" : nothing}>
      <td class="nowrap"><a href=${href("history", "", { at: String(at_ms) })} @click=${go}>${clock(at_ms)}</a></td>
      <td>${kind === "server_status" ? html`<a class="id" href=${href("server", subject)}>${subject}</a>` : html`<span class="id">${subject}</span>`}</td>
      <td>${kind === "server_status" && to ? html`<q-mark .status=${to} .language=${this.language}></q-mark>` : html`${told(`history.kind.${kind}`, kind)}${to ? html`: <span lang="en">${to.replaceAll("_", " ")}</span>` : nothing}`}</td>
      <td class="small" lang="en">${reason}</td>
    </tr>`;
  }

  #exports({ from_ms, to_ms }: Line) {
    const link = (format: string) => `${home()}/api/v1/history/export?from_ms=${from_ms}&to_ms=${to_ms}&format=${format}`;
    const hours = Math.max(1, Math.round((to_ms - from_ms) / HOUR_MS));
    return html`<p class="exports"><span>${t("history.export")}:</span>
      <a class="button" href=${link("csv")} download="quorate-history.csv">CSV</a>
      <a class="button" href=${link("jsonl")} download="quorate-history.jsonl">JSON lines</a>
      <a class="button" href=${href("backtest", "", { hours: String(hours) })}>${t("history.backtest")}</a>
    </p>`;
  }

  /** At first it stands where the address says, else at the end. */
  #begin(line: Line): void {
    const asked = Number(this.place.query.get("at"));
    this.at_ms = asked > 0 ? within(asked, line) : line.to_ms;
    if (this.at_ms < line.to_ms - this.hours * HOUR_MS) this.hours = 0;
    this.#ask(this.at_ms);
  }

  #move(at_ms: number, whole: Line): void {
    const line = lineOf(whole, this.hours);
    if (at_ms < line.from_ms) this.hours = 0;
    this.at_ms = within(at_ms, whole);
    this.#ask(this.at_ms);
  }

  #ask(at_ms: number): void {
    this.#latest.ask(async (signal) => {
      keepQuery(this.place, { at: String(at_ms) });
      this.#reader ??= new MatrixReader();
      const [moment, mesh] = await Promise.all([readMoment(at_ms, signal), this.#reader.read(`/api/v1/history/matrix/packed?at_ms=${at_ms}`)]);
      return { moment, mesh };
    });
    this.requestUpdate();
  }

  readonly #chooseSpan = (event: Event): void => {
    this.hours = Number((event.target as HTMLSelectElement).value);
    const line = this.#archive.value?.line;
    if (line && this.at_ms !== undefined) this.#move(within(this.at_ms, lineOf(line, this.hours)), line);
  };

  readonly #pointed = ({ detail }: CustomEvent<Cell | null>): void => {
    this.pointed = this.found?.mesh && detail ? described(this.found.mesh, detail) : "";
  };
}
