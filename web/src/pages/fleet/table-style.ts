// How the fleet's table looks: rows of one height, and on narrower screens fewer columns; what is left out there stands on the
// server's own page.

import { css } from "lit";

export const fleetTableStyles = css`
  table { table-layout: fixed; }
  tbody tr:not(.space) { height: 3.5rem; }
  tbody tr:not(.space):hover { background: var(--sunken); }
  .space td { padding: 0; border: 0; }
  thead th { position: sticky; top: 0; background: var(--paper); z-index: 1; padding-block: 0.15rem; vertical-align: middle; box-shadow: inset 0 -1px var(--line-strong); }
  thead button.plain { border: 0; font-size: inherit; font-weight: inherit; color: inherit; padding: 0; min-height: 1.9rem; text-align: left; }
  .arrow { width: 1ch; color: var(--ink); }
  .clamp { overflow: hidden; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; line-height: 1.4; max-height: 2.8em; }
  .server { width: 11%; overflow: hidden; }
  .server a { font-family: var(--mono); font-weight: 600; color: var(--ink); text-decoration-color: var(--line-strong); }
  .tags { display: block; line-height: 1.1; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .tag { font-size: 0.75rem; color: var(--ink-2); font-weight: 400; }
  .tag + .tag::before { content: "· "; }
  .status { width: 9.5rem; }
  .country { width: 8.5%; }
  .country .small { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .entry_points { width: 13%; font-size: 0.87rem; }
  .entry_points .clamp { display: block; }
  .entry { display: inline-flex; align-items: center; gap: 0.3em; margin-right: 0.8em; }
  .lines { width: 23.5rem; }
  .lines .spark { width: 6.8rem; }
  .since { width: 6rem; }
  .report { width: 9rem; }
  @media (max-width: 100rem) { .lines { display: none; } }
  @media (max-width: 64rem) { .entry_points, .since { display: none; } .server { width: 20%; } .country { width: 14%; } }
  @media (max-width: 46rem) {
    .country, .report { display: none; }
    .server { width: 27%; }
    .status { width: 8.2rem; font-size: 0.9rem; }
    .said { padding-right: 0; }
    .clamp { -webkit-line-clamp: 3; max-height: 4.2em; font-size: 0.87rem; }
    tbody tr:not(.space) { height: 4.8rem; }
  }
`;
