// In which order rows and columns stand, and what stands together: countries by code, those without one last; in a country
// its sites; in a site its servers; and a server's entry points side by side. Both axes are ordered alike, so that what a
// server sees and how it is seen lie on the diagonal's two sides.

import type { Column, Witness } from "./packed";

/** A run of places on an axis that have something in common. */
export interface Group {
  readonly name: string;
  readonly from: number;
  /** The first place behind it. */
  readonly to: number;
}

export interface Axis {
  readonly count: number;
  /** By place, the index in the packed matrix. */
  readonly source: Uint32Array;
  /** What is written at each place. */
  readonly names: readonly string[];
  readonly countries: readonly Group[];
  readonly sites: readonly Group[];
  readonly servers: readonly Group[];
  /** By place, what begins there: 0 nothing, 1 a server, 2 a site, 3 a country. */
  readonly breaks: Uint8Array;
}

interface Item {
  readonly name: string;
  readonly server: string;
  readonly site: string;
  readonly country: string;
}

export function rowsAxis(rows: readonly Witness[]): Axis {
  return axis(rows.map(({ witness, site, country }) => ({ name: witness, server: witness, site, country: country ?? "" })));
}

export function columnsAxis(columns: readonly Column[]): Axis {
  return axis(columns.map(({ entry_point, server, site, country }) => ({ name: entry_point, server, site, country: country ?? "" })));
}

function axis(items: readonly Item[]): Axis {
  const source = Uint32Array.from(items.keys());
  const at = (index: number) => items[index] as Item;
  source.sort((a, b) => compare(at(a), at(b)) || a - b);
  const sorted = [...source].map(at);
  const countries = runs(sorted, ({ country }) => country, () => "");
  const sites = runs(sorted, ({ site }) => site, ({ country }) => country);
  const servers = runs(sorted, ({ server }) => server, ({ country, site }) => `${country} ${site}`);
  const breaks = new Uint8Array(items.length);
  for (const [weight, groups] of [servers, sites, countries].entries()) {
    for (const { from } of groups) breaks[from] = weight + 1;
  }
  return { count: items.length, source, names: sorted.map(({ name }) => name), countries, sites, servers, breaks };
}

function compare(a: Item, b: Item): number {
  return (
    Number(a.country === "") - Number(b.country === "") ||
    text(a.country, b.country) ||
    natural.compare(a.site, b.site) ||
    text(a.site, b.site) ||
    natural.compare(a.server, b.server) ||
    natural.compare(a.name, b.name)
  );
}

// As people count: nl-10 comes after nl-9.
const natural = new Intl.Collator("en", { numeric: true });

function text(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function runs(items: readonly Item[], name: (item: Item) => string, within: (item: Item) => string): Group[] {
  const groups: { name: string; from: number; to: number; within: string }[] = [];
  for (const [place, item] of items.entries()) {
    const last = groups.at(-1);
    if (last && last.name === name(item) && last.within === within(item)) last.to = place + 1;
    else groups.push({ name: name(item), from: place, to: place + 1, within: within(item) });
  }
  return groups;
}

/** The group that has a place in it. */
export function groupAt(groups: readonly Group[], place: number): Group | undefined {
  let [low, high] = [0, groups.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((groups[middle] as Group).to <= place) low = middle + 1;
    else high = middle;
  }
  return groups[low];
}
