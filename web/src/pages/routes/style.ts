// How the routes' page is laid out: what is delivered, what is not, and what was before stand beside each other.

import { css } from "lit";

export const routesStyles = css`
  :host { display: block; }
  section { border-top: 1px solid var(--line-strong); margin-top: 1.3rem; padding-top: 0.9rem; }
  header { display: flex; flex-wrap: wrap; gap: 0.2rem 1rem; align-items: baseline; }
  h2 a { font-family: var(--mono); color: var(--ink); text-decoration-color: var(--line-strong); }
  .columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); gap: 1.2rem 2.6rem; margin-top: 0.7rem; }
  h3 { color: var(--ink-2); font-size: 0.87rem; margin-bottom: 0.4rem; }
  ol { margin: 0; padding-left: 2.2rem; font-variant-numeric: tabular-nums; }
  ol.bare { padding-left: 0; }
  li { padding-block: 0.15rem; }
  li::marker { color: var(--ink-2); }
  .doubt { color: var(--degraded); font-size: 0.87rem; }
  .before li { display: grid; grid-template-columns: 6.5rem 1fr; gap: 0.6rem; padding-block: 0.3rem; overflow-wrap: anywhere; }
  .sign { font-family: var(--mono); font-weight: 800; }
  .back { font-size: 0.87rem; }
  .first { margin-top: 1rem; }
`;
