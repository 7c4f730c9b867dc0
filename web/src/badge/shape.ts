// The shape of each status, so that nothing hangs on colour alone. Paths within 10 by 10, in the colour of the text around.

import type { Status } from "./status";

/** `old` is what was once known: an empty ring, whatever the status was. */
export type Shape = Status | "old";

interface Path {
  d: string;
  /** Width of the line; absent for a filled shape. */
  line?: number;
  dash?: string;
}

const RING = "M5 1.3a3.7 3.7 0 1 1 0 7.4a3.7 3.7 0 1 1 0-7.4z";
const DIAMOND = "M5 .4L9.6 5 5 9.6.4 5z";

export const SHAPES: Readonly<Record<Shape, Path>> = {
  ok: { d: "M5 .5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 1 1 0-9z" },
  marked: { d: DIAMOND },
  contested: { d: "M5 1.3L8.7 5 5 8.7 1.3 5z", line: 1.5 },
  degraded: { d: "M5 .8l4.6 8.4H.4z" },
  blocked: { d: `${RING}M2.4 7.6l5.2-5.2`, line: 1.6 },
  unreachable: { d: "M1.5 1.5l7 7m0-7l-7 7", line: 2.2 },
  down: { d: "M.8.8h8.4v8.4H.8zM3 3l4 4m0-4l-4 4", line: 1.5 },
  no_data: { d: RING, line: 1.6 },
  pending: { d: RING, line: 1.6, dash: "1.9 2" },
  disabled: { d: "M1 5h8", line: 2.2 },
  old: { d: RING, line: 1.6 },
};

const SVG = "http://www.w3.org/2000/svg";

/** Draws a shape into `svg`, over what was there. */
export function drawShape(svg: SVGSVGElement, shape: Shape): void {
  const { d, line, dash } = SHAPES[shape];
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", d);
  path.setAttribute("fill", line === undefined ? "currentColor" : "none");
  if (line !== undefined) {
    path.setAttribute("stroke", "currentColor");
    path.setAttribute("stroke-width", String(line));
  }
  if (dash !== undefined) path.setAttribute("stroke-dasharray", dash);
  svg.replaceChildren(path);
}

/** An empty drawing that screen readers pass over: the word beside it says the same. */
export function emptyShape(): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 10 10");
  svg.setAttribute("aria-hidden", "true");
  return svg;
}
