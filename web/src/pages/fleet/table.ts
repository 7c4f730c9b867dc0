// The fleet's table: a real table of which only the rows near the screen are made, so that 5,000 servers cost as little as 50.
// All rows have one height, which the style gives and the first row tells. Assistive technology is told how many rows there are
// and which of them each one is.

import { css, html, LitElement, nothing, type PropertyValues } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";

import { mark, markStyles } from "../../parts/mark";
import { sparkStyles } from "../../parts/spark";
import { href } from "../../router";
import { base } from "../../style/base";
import { t } from "../../words";
import { ago, exactly, span } from "../../words/numbers";
import { lineCell, type ServerLines } from "./lines";
import type { ServerRow, Sort } from "./rows";
import { fleetTableStyles } from "./table-style";
import { said, tags } from "./words";

/** Fewer rows than these are all made: the browser's own search finds them. */
const WHOLE_MAX = 60;
/** Between two drawings of the times: they are plain text, because an element for each would cost more than the row. */
const TICK_MS = 5000;
/** Rows beyond either edge of the screen, so that none is missing while one scrolls. */
const MARGIN = 6;
/** Until a row has been measured. */
const ROW_PX = 56;

interface Column {
  readonly key: "status" | "server" | "country" | "said" | "entry_points" | "lines" | "since" | "report";
  readonly sort?: Sort;
}

const COLUMNS: readonly Column[] = [
  { key: "server", sort: "id" },
  { key: "status", sort: "urgency" },
  { key: "said" },
  { key: "country", sort: "country" },
  { key: "entry_points" },
  { key: "lines" },
  { key: "since", sort: "since" },
  { key: "report", sort: "report" },
];

@customElement("q-fleet-table")
export class FleetTable extends LitElement {
  @property({ attribute: false }) rows: readonly ServerRow[] = [];
  @property({ attribute: false }) lines: Readonly<Record<string, ServerLines>> = {};
  @property() sort: Sort = "urgency";
  @property({ type: Boolean }) backwards = false;
  @property() language = "en";
  @state() private first = 0;
  @state() private last = WHOLE_MAX;
  #row_px = ROW_PX;
  #frame = 0;
  #tick: ReturnType<typeof setInterval> | undefined;

  static override styles = [base, markStyles, sparkStyles, css`:host { display: block; }`, fleetTableStyles];

  override connectedCallback(): void {
    super.connectedCallback();
    this.#tick = setInterval(() => this.requestUpdate(), TICK_MS);
    window.addEventListener("scroll", this.moved, { passive: true });
    window.addEventListener("resize", this.moved, { passive: true });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#tick);
    window.removeEventListener("scroll", this.moved);
    window.removeEventListener("resize", this.moved);
    cancelAnimationFrame(this.#frame);
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("rows")) this.window();
  }

  override render() {
    const windowed = this.rows.length > WHOLE_MAX;
    const [from, to] = windowed ? [this.first, Math.min(this.last, this.rows.length)] : [0, this.rows.length];
    const space = (rows: number) =>
      rows > 0 ? html`<tr class="space" aria-hidden="true"><td height=${Math.round(rows * this.#row_px)}></td></tr>` : nothing;
    return html`<table aria-rowcount=${this.rows.length + 1}>
      <thead>
        <tr aria-rowindex="1">${COLUMNS.map((column) => this.head(column))}</tr>
      </thead>
      <tbody>
        ${space(from)}
        ${repeat(this.rows.slice(from, to), ({ id }) => id, (row, at) => this.row(row, from + at + 2))}
        ${space(this.rows.length - to)}
      </tbody>
    </table>`;
  }

  override updated(): void {
    const height = this.renderRoot.querySelector("tbody tr:not(.space)")?.getBoundingClientRect().height;
    if (height && Math.abs(height - this.#row_px) > 0.5) {
      this.#row_px = height;
      this.moved();
    }
  }

  private head({ key, sort }: Column) {
    const word = t(`column.${key}`);
    if (!sort) return html`<th scope="col" class=${key}>${word}</th>`;
    const mine = sort === this.sort;
    const order = !mine ? "none" : this.backwards ? "descending" : "ascending";
    return html`<th scope="col" class=${key} aria-sort=${order}>
      <button class="plain" @click=${() => this.ask(sort, mine && !this.backwards)}>${word}<span class="arrow" aria-hidden="true">${mine ? (this.backwards ? "↑" : "↓") : ""}</span></button>
    </th>`;
  }

  private row(row: ServerRow, index: number) {
    const now = Date.now();
    const time = (at: number, words: string) => html`<time datetime=${new Date(at).toISOString()} title=${exactly(at)}>${words}</time>`;
    return html`<tr aria-rowindex=${index}>
      <th scope="row" class="server">
        <a href=${href("server", row.id)}>${row.id}</a>
        <span class="tags">${tags(row).map((tag) => html`<span class="tag">${tag}</span>`)}</span>
      </th>
      <td class="status">${mark(row.status)}</td>
      <td class="said"><div class="clamp" title=${row.reason ? `${said(row)}. ${row.reason}` : said(row)}>${said(row)}${row.reason ? html`<br /><span class="quiet small" lang="en">${row.reason}</span>` : nothing}</div></td>
      <td class="country">${row.country ?? ""} <span class="quiet small">${row.site}</span></td>
      <td class="entry_points"><div class="clamp">
        ${row.entry_points.map(({ id, state }) => html`<span class="entry" title=${id}>${mark(state, true)}${id.slice(row.id.length + 1)}</span>`)}
      </div></td>
      <td class="lines">${lineCell(this.lines[row.id])}</td>
      <td class="since nowrap">${time(row.since_ms, span(now - row.since_ms))}</td>
      <td class="report nowrap">${row.last_report_at_ms ? time(row.last_report_at_ms, ago(row.last_report_at_ms, now)) : t("time.never")}</td>
    </tr>`;
  }

  private ask(sort: Sort, backwards: boolean): void {
    this.dispatchEvent(new CustomEvent("sort", { detail: { sort, backwards } }));
  }

  private readonly moved = (): void => {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.window());
  };

  /** Which rows are near the screen. */
  private window(): void {
    if (this.rows.length <= WHOLE_MAX) return;
    const above = Math.max(0, -this.getBoundingClientRect().top);
    const first = Math.min(Math.floor(above / this.#row_px), this.rows.length - 1);
    this.first = Math.max(0, first - MARGIN);
    this.last = first + Math.ceil(window.innerHeight / this.#row_px) + MARGIN;
  }
}
