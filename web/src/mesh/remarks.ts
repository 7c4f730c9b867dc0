// What a header says of a row or column beyond its name: that a witness is silent or not believed, that something stands
// against a target. A shape for who can read it, a colour for the line beside the cells.

import type { Mesh } from "./mesh";

export const MARKS = ["silent", "discredited", "pair_broken", "contested", "cut_off", "blocked", "unreachable", "down"] as const;
export type Mark = (typeof MARKS)[number];

export interface Remark {
  readonly mark: Mark;
}

/** The headers' colours, as a canvas takes them. */
export interface Ink {
  readonly paper: string;
  readonly ink: string;
  readonly quiet: string;
  readonly line: string;
  readonly current: string;
  readonly font: string;
  readonly marks: Readonly<Record<Mark, string>>;
}

export const SHAPES: Readonly<Record<Mark, string>> = {
  silent: "○", discredited: "▨", pair_broken: "◆", contested: "◇", cut_off: "▲", blocked: "⊘", unreachable: "✕", down: "☒",
};

const TOKENS: Readonly<Record<Mark, string>> = {
  silent: "--no_data", discredited: "--degraded", pair_broken: "--marked", contested: "--contested", cut_off: "--degraded",
  blocked: "--blocked", unreachable: "--unreachable", down: "--down",
};

/** By row: witnesses that are silent or not believed. */
export function witnessRemarks(mesh: Mesh): Map<number, Remark> {
  const found = new Map<number, Remark>();
  for (const [row, { silent, discredited }] of mesh.witnesses.entries()) {
    if (silent) found.set(row, { mark: "silent" });
    else if (discredited?.length) found.set(row, { mark: "discredited" });
  }
  return found;
}

/** By column: targets that something stands against. */
export function targetRemarks(mesh: Mesh): Map<number, Remark> {
  const found = new Map<number, Remark>();
  for (const [column, { state }] of mesh.targets.entries()) {
    const mark = MARKS.find((mark) => mark === state);
    if (mark) found.set(column, { mark });
  }
  return found;
}

/** The colours as `probe`, an element inside the host, sees them at this moment. */
export function inkOf(probe: HTMLElement): Ink {
  const colour = (token: string) => {
    probe.style.color = `var(${token})`;
    return getComputedStyle(probe).color;
  };
  const marks = Object.fromEntries(MARKS.map((mark) => [mark, colour(TOKENS[mark])])) as Record<Mark, string>;
  return {
    paper: colour("--paper"), ink: colour("--ink"), quiet: colour("--ink-2"), line: colour("--line-strong"),
    current: colour("--accent-wash"), font: getComputedStyle(probe).fontFamily, marks,
  };
}
