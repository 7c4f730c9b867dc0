// `<q-mesh-legend>`: what shapes and colours mean, drawn by what draws the cells, and how many cells there are of each.

import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";

import { t } from "../words";
import { number } from "../words/numbers";
import { colours, paletteOf } from "./palette";
import { type Sprites, spritesOf } from "./sprites";
import { codeOf, FADED, HATCHED, LEGEND, type State } from "./states";

const SIDE = 16;

@customElement("q-mesh-legend")
export class MeshLegend extends LitElement {
  /** Cells by state; none are told where it is absent. */
  @property({ attribute: false }) counts: Readonly<Record<State, number>> | undefined;
  @property() language = "en";

  static override styles = [
    colours,
    css`
      ul { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0.2rem 1.1rem; font-size: 0.87rem; }
      li { display: flex; align-items: center; gap: 0.4rem; }
      canvas { width: ${SIDE}px; height: ${SIDE}px; border-radius: 2px; }
      .count { color: var(--ink-2); font-variant-numeric: tabular-nums; }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    window.addEventListener("quorate-theme", this.draw);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", this.draw);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener("quorate-theme", this.draw);
    matchMedia("(prefers-color-scheme: dark)").removeEventListener("change", this.draw);
  }

  override render() {
    return html`<ul aria-label=${t("mesh.legend")}>
        ${LEGEND.map((state) => item(codeOf(state), t(`cell.${state}`), this.counts?.[state]))}
        ${item(codeOf("failing") | HATCHED, t("mesh.hatched"))} ${item(codeOf("sees") | FADED, t("mesh.faded"))}
      </ul>
      <span class="probe" hidden></span>`;
  }

  protected override firstUpdated(): void {
    this.draw();
  }

  private readonly draw = (): void => {
    const probe = this.renderRoot.querySelector<HTMLElement>(".probe");
    if (!probe) return;
    const side = Math.round(SIDE * devicePixelRatio);
    const sprites = spritesOf(side, paletteOf(probe), devicePixelRatio);
    for (const canvas of this.renderRoot.querySelectorAll("canvas")) drawLook(canvas, sprites, Number(canvas.dataset["look"]));
  };
}

function item(look: number, word: string, count?: number) {
  return html`<li>
    <canvas data-look=${look} aria-hidden="true"></canvas><span>${word}</span>
    ${count === undefined ? nothing : html`<span class="count">${number(count)}</span>`}
  </li>`;
}

function drawLook(canvas: HTMLCanvasElement, { side, pixels }: Sprites, look: number): void {
  [canvas.width, canvas.height] = [side, side];
  const image = new ImageData(side, side);
  new Uint32Array(image.data.buffer).set(pixels.subarray(look * side * side, (look + 1) * side * side));
  canvas.getContext("2d")?.putImageData(image, 0, 0);
}
