// Draws the headers: a strip of countries outside, names or sites within, and next to the cells a line that has a mark where a
// row's witness is not to be believed or a column's target is in trouble, so that these are found before names can be read.

import { type Label, labelsOf } from "./headers";
import type { Axis } from "./layout";
import { type Ink, type Remark, SHAPES } from "./remarks";

export interface Heading {
  readonly axis: Axis;
  /** By place; most have none. */
  readonly remarks: ReadonlyMap<number, Remark>;
  readonly pitch: number;
  readonly offset: number;
  /** Where the pointer or the keyboard is. */
  readonly current: number | null;
}

/** Across the countries' strip, and across the line of remarks. */
export const STRIP = 20;
export const GUTTER = 6;
const TEXT_PX = 11;

/** Rows' names stand upright, columns' are turned to read upwards. */
export function drawHeading(context: CanvasRenderingContext2D, side: "rows" | "columns", deep: number, long: number, heading: Heading, ink: Ink): void {
  context.save();
  context.fillStyle = ink.paper;
  context.fillRect(0, 0, side === "rows" ? deep : long, side === "rows" ? long : deep);
  // Both are drawn as if along x with their depth along y; rows are mirrored at the diagonal.
  const { countries, sites, names } = labelsOf(heading.axis, heading.pitch, heading.offset, long);
  const at = side === "rows" ? { box: boxOfRows, text: rowText } : { box: boxOfColumns, text: columnText };
  const box = (from: number, to: number, top: number, bottom: number) => context.fillRect(...at.box(from, to, top, bottom));

  if (heading.current !== null && heading.pitch >= 3) {
    context.fillStyle = ink.current;
    const from = heading.current * heading.pitch - heading.offset;
    box(from, from + heading.pitch, STRIP, deep);
  }
  context.font = `600 ${TEXT_PX}px ${ink.font}`;
  for (const country of countries) {
    context.fillStyle = ink.line;
    box(country.from, country.from + 1, 0, deep);
    context.fillStyle = ink.ink;
    at.text(context, { ...country, text: country.text || "–" }, 0, STRIP, true);
  }
  context.font = `${TEXT_PX}px ${ink.font}`;
  for (const site of sites) {
    context.fillStyle = ink.quiet;
    at.text(context, site, STRIP, deep - GUTTER, false);
  }
  for (const name of names) {
    const remark = heading.remarks.get(name.place);
    context.fillStyle = remark ? ink.marks[remark.mark] : ink.ink;
    at.text(context, remark ? { ...name, text: `${SHAPES[remark.mark]} ${name.text}` } : name, STRIP, deep - GUTTER, false);
  }
  for (const [place, { mark }] of heading.remarks) {
    const from = place * heading.pitch - heading.offset;
    if (from > long || from + heading.pitch < 0) continue;
    context.fillStyle = ink.marks[mark];
    box(from, from + Math.max(1.5, heading.pitch - 1), deep - GUTTER + 1, deep - 1);
  }
  context.restore();
}

type Box = [x: number, y: number, width: number, height: number];

function boxOfRows(from: number, to: number, top: number, bottom: number): Box {
  return [top, from, bottom - top, to - from];
}

function boxOfColumns(from: number, to: number, top: number, bottom: number): Box {
  return [from, top, to - from, bottom - top];
}

function rowText(context: CanvasRenderingContext2D, label: Label, top: number, bottom: number, isStrip: boolean): void {
  if (isStrip) {
    if (label.to - label.from < TEXT_PX + 1) return;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(label.text, (top + bottom) / 2, (label.from + label.to) / 2);
    return;
  }
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.fillText(cut(context, label.text, bottom - top - 6), top + 3, (label.from + label.to) / 2 + 0.5);
}

function columnText(context: CanvasRenderingContext2D, label: Label, top: number, bottom: number, isStrip: boolean): void {
  context.textBaseline = "middle";
  if (isStrip) {
    if (label.to - label.from < 1.6 * TEXT_PX) return;
    context.textAlign = "center";
    context.fillText(label.text, (label.from + label.to) / 2, (top + bottom) / 2);
    return;
  }
  context.save();
  context.translate((label.from + label.to) / 2 + 0.5, bottom - 3);
  context.rotate(-Math.PI / 2);
  context.textAlign = "left";
  context.fillText(cut(context, label.text, bottom - top - 6), 0, 0);
  context.restore();
}

/** As much of a text as fits, its end replaced. Measured by its letters' mean width, and a little more: quick, and exact enough. */
function cut(context: CanvasRenderingContext2D, text: string, width: number): string {
  const letter = meanWidth(context);
  const fits = Math.floor(width / (1.05 * letter));
  return text.length <= fits ? text : `${text.slice(0, Math.max(1, fits - 1))}…`;
}

const widths = new Map<string, number>();

function meanWidth(context: CanvasRenderingContext2D): number {
  const known = widths.get(context.font);
  if (known !== undefined) return known;
  const sample = "nl-10.tls/quic-ru7:4e";
  const width = context.measureText(sample).width / sample.length;
  widths.set(context.font, width);
  return width;
}
