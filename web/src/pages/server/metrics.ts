// `<q-server-metrics server="nl-1">`: what a server measured over 24 hours, one chart for each kind of number, all with one
// pointer. Beneath each stand its newest, mean and greatest value in words, which is all that a reader without eyes needs of it.

import { css, html, LitElement, nothing, type PropertyValues, unsafeCSS } from "lit";
import { customElement, property } from "lit/decorators.js";
import uPlot from "uplot";
import plotStyles from "uplot/dist/uPlot.min.css?inline";

import { api, ask, type Schemas } from "../../api/client";
import { Resource } from "../../api/resource";
import { bannerStyles } from "../../parts/banner";
import { standing } from "../../parts/standing";
import { base } from "../../style/base";
import { t, told } from "../../words";
import { times } from "../../words/formats";
import { charts, type Chart, summary } from "./series";

const HEIGHT = 110;

@customElement("q-server-metrics")
export class Metrics extends LitElement {
  @property() server = "";
  @property() language = "en";
  readonly #series = new Resource<Schemas["Series"]>(this, () => ask(api.GET("/api/v1/servers/{id}/metrics", { params: { path: { id: this.server } } })), { every_ms: 60_000 });
  readonly #plots: uPlot[] = [];
  readonly #sizes = new ResizeObserver(() => this.resize());
  #drawn: unknown;

  static override styles = [
    base,
    bannerStyles,
    unsafeCSS(plotStyles),
    css`
      :host { display: block; }
      .charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(24rem, 100%), 1fr)); gap: 1.2rem 2rem; }
      figure { margin: 0; min-width: 0; }
      figcaption { display: flex; justify-content: space-between; gap: 0 1rem; font-size: 0.87rem; flex-wrap: wrap; min-height: 2.8rem; align-content: end; }
      figcaption svg { width: 1rem; height: 0.4rem; vertical-align: middle; }
      figcaption path { fill: none; stroke: var(--accent); stroke-width: 2; }
      .line-1 path { stroke: var(--blocked); stroke-dasharray: 5 3; }
      .plot { height: ${HEIGHT}px; }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    window.addEventListener("quorate-theme", this.redraw);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", this.redraw);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener("quorate-theme", this.redraw);
    matchMedia("(prefers-color-scheme: dark)").removeEventListener("change", this.redraw);
    this.#sizes.disconnect();
    this.clear();
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("server") && changed.get("server")) this.#series.reset();
  }

  override render() {
    return html`${standing(this.#series, (series) => {
      const found = charts(series);
      if (found.length === 0) return html`<p class="quiet">${t("metrics.none")}</p>`;
      return html`<div class="charts">${found.map((chart) => this.chart(chart))}</div>`;
    })}`;
  }

  override updated(): void {
    const series = this.#series.value;
    if (!series || (this.#drawn === series && this.#plots.length > 0)) return;
    this.#drawn = series;
    this.clear();
    for (const [at, place] of [...this.renderRoot.querySelectorAll<HTMLElement>(".plot")].entries()) {
      const chart = charts(series)[at];
      if (chart) this.#plots.push(this.plot(chart, series, place));
      this.#sizes.observe(place);
    }
  }

  private chart(chart: Chart) {
    return html`<figure>
      <figcaption><strong>${chart.title}</strong>
        ${chart.lines.map(
          (line, at) => html`<span class="quiet num">${chart.lines.length > 1 ? html`<svg class="line-${at}" viewBox="0 0 16 6" aria-hidden="true"><path d="M0 3h16" /></svg> ${told(`metric.${line.name}`, line.name)}: ` : nothing}${summary(line, chart.words)}</span>`,
        )}</figcaption>
      <div class="plot" aria-hidden="true"></div>
    </figure>`;
  }

  private plot(chart: Chart, series: Schemas["Series"], place: HTMLElement): uPlot {
    const ink = (name: string) => getComputedStyle(this).getPropertyValue(name).trim();
    const probe = (name: string) => resolved(this, ink(name));
    const axis = { stroke: probe("--ink-2"), grid: { stroke: probe("--line"), width: 1 }, ticks: { show: false }, font: "11px system-ui, sans-serif" };
    const colours = [probe("--accent"), probe("--blocked")];
    const options: uPlot.Options = {
      width: Math.max(200, place.clientWidth),
      height: HEIGHT,
      cursor: { sync: { key: "server" }, points: { size: 5 } },
      legend: { show: false },
      scales: { y: { range: (_, __, most) => [0, Math.max(chart.least_top, most ?? 0)] } },
      axes: [
        { ...axis, values: (_, splits) => splits.map((at) => times({ hour: "2-digit", minute: "2-digit" }).format(at * 1000)), space: 70, size: 24 },
        { ...axis, values: (_, splits) => splits.map((value) => chart.words(value)), size: 62, space: 30 },
      ],
      series: [{}, ...chart.lines.map((_, at) => ({ stroke: colours[at] ?? "", width: 1.4, ...(at > 0 && { dash: [5, 3] }), spanGaps: false, points: { show: false } }))],
    };
    const at = series.at_ms.map((ms) => ms / 1000);
    return new uPlot(options, [at, ...chart.lines.map(({ values }) => [...values])], place);
  }

  private resize(): void {
    const places = this.renderRoot.querySelectorAll<HTMLElement>(".plot");
    this.#plots.forEach((plot, at) => plot.setSize({ width: Math.max(200, places[at]?.clientWidth ?? 200), height: HEIGHT }));
  }

  private readonly redraw = (): void => {
    this.clear();
    this.requestUpdate();
  };

  private clear(): void {
    for (const plot of this.#plots.splice(0)) plot.destroy();
  }
}

/** A colour as a canvas takes it: `light-dark()` is decided by an element that wears it. */
function resolved(host: Metrics, colour: string): string {
  const probe = document.createElement("i");
  probe.style.color = colour;
  host.renderRoot.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}
