// What is written beside the cells: countries always, their sites where cells are too small for names, and names where there is
// room for them. A label is where its group is in sight, so that a country stays named while one scrolls through it.

import type { Axis, Group } from "./layout";
import { PITCH_NAMED } from "./viewport";

export interface Label {
  readonly text: string;
  /** The part of the window that it covers, in CSS pixels. */
  readonly from: number;
  readonly to: number;
  /** The first place that it names. */
  readonly place: number;
}

export interface Labels {
  readonly countries: readonly Label[];
  readonly sites: readonly Label[];
  readonly names: readonly Label[];
}

/** A line of small text needs this much. */
const LINE = 12;

export function labelsOf(axis: Axis, pitch: number, offset: number, length: number): Labels {
  const named = pitch >= PITCH_NAMED;
  const inSight = (groups: readonly Group[]) => visible(groups, pitch, offset, length);
  return {
    countries: inSight(axis.countries).filter(({ to, from }) => to - from > 0.5),
    sites: named ? [] : inSight(axis.sites).filter(({ to, from }) => to - from >= LINE),
    names: named ? namesInSight(axis, pitch, offset, length) : [],
  };
}

function visible(groups: readonly Group[], pitch: number, offset: number, length: number): Label[] {
  return groups
    .map(({ name, from, to }) => ({
      text: name,
      from: Math.max(0, from * pitch - offset),
      to: Math.min(length, to * pitch - offset),
      place: from,
    }))
    .filter(({ from, to }) => to > from);
}

function namesInSight(axis: Axis, pitch: number, offset: number, length: number): Label[] {
  const [first, end] = [Math.max(0, Math.floor(offset / pitch)), Math.min(axis.count, Math.ceil((offset + length) / pitch))];
  const places = Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at);
  return places.map((place) => ({
    text: axis.names[place] ?? "",
    from: place * pitch - offset,
    to: (place + 1) * pitch - offset,
    place,
  }));
}
