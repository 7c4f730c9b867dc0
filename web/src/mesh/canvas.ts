// `<q-mesh-canvas>`: the mesh as a picture that pans, zooms and is walked through by keyboard.
//
//   const canvas = document.querySelector("q-mesh-canvas");
//   canvas.matrix = meshOf(unpack(bytes));     // and again with each newer one: the view stays
//   canvas.panTo(700, 200);                    // a row and a column into the middle
//   canvas.zoomTo(18);                         // CSS pixels a cell; canvas.zoomTo(0) is the whole
//   canvas.frame({ from: 0, to: 9 }, …);       // a block fills the window
//
// Events: `q-cell`, `q-row` and `q-column` when one is chosen (detail `{ row, column }`), `q-cursor` when another cell is
// pointed at or walked to. Each frame is a `performance` measure named `q-mesh-frame`.
//
// All that is in sight is drawn anew in each frame, at most once a frame: `paint` is quicker than keeping account of what
// changed. A newer matrix that changes nothing in sight draws nothing.

import { css, html, LitElement, type PropertyValues } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";

import { t } from "../words";
import { described } from "./describe";
import { Gestures } from "./gestures";
import { stepped } from "./keys";
import { changedRows, type Mesh, sameShape } from "./mesh";
import { colours } from "./palette";
import { Stage } from "./stage";
import { boxOf, fit, framed, hit, panned, PITCH_COMFORTABLE, type Place, resized, revealed, rowsInSight, type Run, type View, zoomed } from "./viewport";

@customElement("q-mesh-canvas")
export class MeshCanvas extends LitElement {
  /** What is drawn. */
  @property({ attribute: false }) matrix: Mesh | undefined;
  /** Changes with the language. */
  @property() language = "en";
  /** The cell that the keyboard stands on, or that was pressed. */
  @state() private cursor: Place | null = null;

  @query(".cells") private cells!: HTMLCanvasElement;
  @query(".rows") private rowsCanvas!: HTMLCanvasElement;
  @query(".columns") private columnsCanvas!: HTMLCanvasElement;
  @query(".window") private window!: HTMLElement;
  @query(".cursor") private cursorBox!: HTMLElement;
  @query(".probe") private probe!: HTMLElement;

  #view: View = fit(0, 0, 1, 1);
  #hover: Place | null = null;
  #stage: Stage | undefined;
  #frame = 0;
  readonly #dark = matchMedia("(prefers-color-scheme: dark)");
  readonly #size = new ResizeObserver(() => this.#resize());

  static override styles = [
    colours,
    css`
      :host { display: block; position: relative; min-height: 12rem; max-height: calc(var(--columns) + var(--tall, 100vh) + 3.4rem); overflow: hidden; border: 1px solid var(--line); border-radius: var(--radius); background: var(--paper); --rows: 8.5rem; --columns: 7rem; container-type: size; }
      @container (max-width: 40rem) { .grid { --rows: 5.2rem; --columns: 6rem; } }
      .grid { position: absolute; inset: 0; display: grid; grid-template: var(--columns) 1fr / var(--rows) 1fr; }
      .corner { border-bottom: 1px solid var(--line-strong); border-right: 1px solid var(--line-strong); font-size: 0.72rem; line-height: 1.25; color: var(--ink-2); padding: 0.4rem; display: flex; flex-direction: column; justify-content: space-between; overflow: hidden; }
      .corner span:first-child { text-align: right; }
      canvas { display: block; position: absolute; inset: 0; width: 100%; height: 100%; }
      .head { position: relative; overflow: hidden; cursor: pointer; }
      .head.top { border-bottom: 1px solid var(--line-strong); } .head.left { border-right: 1px solid var(--line-strong); }
      .window { position: relative; overflow: hidden; touch-action: none; cursor: crosshair; outline: none; }
      .window:active { cursor: grabbing; }
      .cursor { position: absolute; left: 0; top: 0; border: 2px solid var(--accent); outline: 1px solid var(--paper); pointer-events: none; border-radius: 2px; box-sizing: border-box; }
      .window:focus-visible .cursor { box-shadow: 0 0 0 3px var(--accent); }
      :host(:focus-within) { border-color: var(--accent); }
      .buttons { position: absolute; right: 0.5rem; bottom: 0.5rem; display: flex; gap: 0.25rem; }
      .buttons button { font: 600 1rem/1 var(--sans); width: 2.2rem; height: 2.2rem; border: 1px solid var(--line-strong); border-radius: var(--radius); background: var(--raised); color: var(--ink); cursor: pointer; }
      .buttons button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
      .visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
    `,
  ];

  /** What is in sight. */
  get view(): View {
    return this.#view;
  }

  /** The middle of a cell into the middle of the window. */
  panTo(row: number, column: number): void {
    const { pitch, width, height, x, y } = this.#view;
    this.#look(panned(this.#view, (column + 0.5) * pitch - width / 2 - x, (row + 0.5) * pitch - height / 2 - y));
  }

  /** This many CSS pixels a cell, the middle stays; 0 is the whole. */
  zoomTo(pitch: number): void {
    const { width, height } = this.#view;
    this.#look(zoomed(this.#view, Math.max(pitch, 1e-6) / this.#view.pitch, { x: width / 2, y: height / 2 }));
  }

  /** A block of rows and columns fills the window. */
  frame(rows: Run, columns: Run): void {
    this.#look(framed(this.#view, rows, columns));
  }

  /** Puts the cursor on a cell and leaves the view as it is. */
  stand(place: Place): void {
    this.cursor = place;
    this.window.focus({ preventScroll: true });
    this.#tell("q-cursor", place);
  }

  override focus(options?: FocusOptions): void {
    this.window.focus(options);
  }

  /** Puts the cursor on a cell and brings that into sight. */
  goTo(place: Place): void {
    this.cursor = place;
    this.#look(revealed(this.#view, place));
    this.#tell("q-cursor", place);
  }

  override render() {
    return html`<div class="grid">
        <div class="corner" aria-hidden="true"><span>${t("mesh.targets")} →</span><span>↓ ${t("mesh.witnesses")}</span></div>
        <div class="head top"><canvas class="columns" aria-hidden="true"></canvas></div>
        <div class="head left"><canvas class="rows" aria-hidden="true"></canvas></div>
        <div class="window" tabindex="0" role="application" aria-label=${t("mesh.name")} aria-roledescription=${t("mesh.role")}
          aria-describedby="keys" @keydown=${this.#key} @focus=${this.#focus}>
          <canvas class="cells" aria-hidden="true"></canvas>
          <div class="cursor" hidden></div>
        </div>
      </div>
      <div class="buttons">
        <button @click=${() => this.#zoomBy(1.6)} aria-label=${t("mesh.zoom_in")} title=${t("mesh.zoom_in")}>+</button>
        <button @click=${() => this.#zoomBy(1 / 1.6)} aria-label=${t("mesh.zoom_out")} title=${t("mesh.zoom_out")}>−</button>
        <button @click=${() => this.zoomTo(0)} aria-label=${t("mesh.zoom_all")} title=${t("mesh.zoom_all")}>⤢</button>
      </div>
      <p id="keys" class="visually-hidden">${t("mesh.keys")}</p>
      <p class="visually-hidden" aria-live="polite">${this.cursor && this.matrix ? described(this.matrix, this.cursor) : ""}</p>
      <span class="probe" hidden></span>`;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    window.addEventListener("quorate-theme", this.#recolour);
    this.#dark.addEventListener("change", this.#recolour);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener("quorate-theme", this.#recolour);
    this.#dark.removeEventListener("change", this.#recolour);
    this.#size.disconnect();
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }

  protected override firstUpdated(): void {
    const { cells, rowsCanvas: rows, columnsCanvas: columns, cursorBox: cursor, probe } = this;
    this.#stage = new Stage({ cells, rows, columns, cursor, probe });
    const heads = (canvas: HTMLElement, along: "row" | "column") =>
      new Gestures(canvas, {
        pan: (dx, dy) => this.#look(panned(this.#view, along === "column" ? dx : 0, along === "row" ? dy : 0)),
        zoom: (factor, x, y) => this.#zoomAt(factor, along === "column" ? { x, y: 0 } : { x: 0, y }),
        press: (x, y) => this.#pressHead(along, x, y),
        hover: () => {},
      }).listen();
    heads(this.rowsCanvas.parentElement as HTMLElement, "row");
    heads(this.columnsCanvas.parentElement as HTMLElement, "column");
    new Gestures(this.window, {
      pan: (dx, dy) => this.#look(panned(this.#view, dx, dy)),
      zoom: (factor, x, y) => this.#zoomAt(factor, { x, y }),
      press: (x, y) => this.#press(x, y),
      hover: (at) => this.#point(at && hit(this.#view, at.x, at.y)),
    }).listen();
    this.#size.observe(this.window);
  }

  protected override updated(changed: PropertyValues): void {
    if (changed.has("matrix")) this.#taken(changed.get("matrix") as Mesh | undefined);
    if (changed.has("cursor")) this.#draw();
  }

  #taken(before: Mesh | undefined): void {
    const mesh = this.matrix;
    if (!mesh) return;
    // No taller than its rows at their most comfortable; the rest of a page is not kept empty for it.
    this.style.setProperty("--tall", `${mesh.rows.count * PITCH_COMFORTABLE}px`);
    if (before && sameShape(before, mesh)) {
      const { from, to } = rowsInSight(this.#view);
      const isSame = before.targets === mesh.targets && before.witnesses === mesh.witnesses;
      if (!isSame || changedRows(before, mesh).some((row) => row >= from && row < to)) this.#draw();
      return;
    }
    this.cursor = null;
    this.#look(fit(mesh.rows.count, mesh.columns.count, this.#view.width, this.#view.height));
  }

  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.window;
    if (width > 0 && height > 0) this.#look(resized(this.#view, width, height));
  }

  readonly #recolour = (): void => {
    this.#stage?.recolour();
    this.#draw();
  };

  #look(view: View): void {
    this.#view = view;
    this.#draw();
  }

  #zoomAt(factor: number, at: { x: number; y: number }): boolean {
    const before = this.#view;
    this.#look(zoomed(before, factor, at));
    return this.#view.pitch !== before.pitch;
  }

  #zoomBy(factor: number): void {
    const { width, height } = this.#view;
    const box = this.cursor && boxOf(this.#view, this.cursor);
    const isSeen = box && box.x >= 0 && box.y >= 0 && box.x < width && box.y < height;
    this.#zoomAt(factor, isSeen ? { x: box.x + box.side / 2, y: box.y + box.side / 2 } : { x: width / 2, y: height / 2 });
  }

  #point(place: Place | null): void {
    if (place?.row === this.#hover?.row && place?.column === this.#hover?.column) return;
    this.#hover = place;
    this.#draw();
    this.#tell("q-cursor", place ?? this.cursor);
  }

  #press(x: number, y: number): void {
    const place = hit(this.#view, x, y);
    if (!place) return;
    this.cursor = place;
    // A cell that nobody can hit on purpose is gone nearer to first.
    if (this.#view.pitch < 5) this.#zoomAt(14 / this.#view.pitch, { x, y });
    else this.#tell("q-cell", place);
  }

  #pressHead(along: "row" | "column", x: number, y: number): void {
    const place = along === "row" ? hit(this.#view, 0, y) : hit(this.#view, x, 0);
    if (place) this.#tell(`q-${along}`, place);
  }

  readonly #focus = (): void => {
    if (this.cursor || !this.matrix || this.matrix.cells.length === 0) return;
    const seen = hit(this.#view, 1, 1);
    if (seen) this.goTo(seen);
  };

  readonly #key = (event: KeyboardEvent): void => {
    if (event.altKey || event.metaKey || !this.matrix || !this.cursor) return;
    const key = { key: event.key, shift: event.shiftKey, control: event.ctrlKey };
    const next = stepped(key, this.cursor, this.#view, this.matrix);
    if (next) this.goTo(next);
    else if (!event.ctrlKey && !this.#act(event.key, this.cursor)) return;
    event.preventDefault();
  };

  /** What a key does that leads nowhere; false if it does nothing. */
  #act(key: string, cursor: Place): boolean {
    switch (key) {
      case "Enter":
      case " ":
        return this.#tell("q-cell", cursor);
      case "w":
        return this.#tell("q-row", cursor);
      case "t":
        return this.#tell("q-column", cursor);
      case "+":
      case "=":
        this.#zoomBy(1.6);
        return true;
      case "-":
        this.#zoomBy(1 / 1.6);
        return true;
      case "0":
        this.zoomTo(0);
        return true;
      default:
        return false;
    }
  }

  #tell(name: string, detail: Place | null): true {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
    return true;
  }

  #draw(): void {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      if (!this.matrix) return;
      const start = performance.now();
      this.#stage?.draw({ mesh: this.matrix, view: this.#view, cursor: this.cursor, hover: this.#hover });
      performance.measure("q-mesh-frame", { start, end: performance.now() });
      performance.clearMeasures("q-mesh-frame");
    });
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "q-mesh-canvas": MeshCanvas;
  }
}
