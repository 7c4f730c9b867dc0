// What every element with text in it wears inside its shadow root: headings, links, tables, buttons, fields, focus.

import { css } from "lit";

export const base = css`
  *, *::before, *::after { box-sizing: border-box; }
  [hidden] { display: none !important; }
  h1, h2, h3 { line-height: 1.2; margin: 0; font-weight: 650; letter-spacing: -0.01em; text-wrap: balance; }
  h1 { font-size: 1.55rem; }
  h2 { font-size: 1.1rem; }
  h3 { font-size: 0.95rem; }
  p { margin: 0; max-width: var(--measure); }
  a { color: var(--accent); text-underline-offset: 0.2em; text-decoration-thickness: 1px; }
  a:hover { text-decoration-thickness: 2px; }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
  code, .id { font-family: var(--mono); font-size: 0.93em; }
  .num { font-variant-numeric: tabular-nums; }
  .quiet { color: var(--ink-2); }
  .small { font-size: 0.87rem; }
  .nowrap { white-space: nowrap; }

  table { border-collapse: collapse; width: 100%; }
  caption { text-align: left; color: var(--ink-2); padding-block: 0.3rem; }
  th, td { text-align: left; vertical-align: top; padding: 0.42rem 0.9rem 0.42rem 0; border-bottom: 1px solid var(--line); }
  thead th { font-weight: 600; font-size: 0.8rem; color: var(--ink-2); border-bottom-color: var(--line-strong); white-space: nowrap; }
  tbody th { font-weight: 500; }
  /* Positioned, so that what is hidden from the eye in it widens it and not the page. */
  .scroll { overflow-x: auto; position: relative; }

  button, .button {
    font: inherit; color: var(--ink); background: var(--raised); border: 1px solid var(--line-strong); border-radius: var(--radius);
    padding: 0.3rem 0.75rem; min-height: 2.1rem; cursor: pointer; text-decoration: none; display: inline-flex; align-items: center; gap: 0.4rem;
  }
  button:hover:not(:disabled), .button:hover { border-color: var(--ink); }
  button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
  button.danger { color: var(--danger); border-color: var(--danger); }
  button.plain { border-color: transparent; background: none; padding-inline: 0.4rem; }
  button:disabled { opacity: 0.55; cursor: not-allowed; }

  label { display: block; font-weight: 550; font-size: 0.87rem; }
  input, select, textarea {
    font: inherit; color: var(--ink); background: var(--raised); border: 1px solid var(--line-strong); border-radius: var(--radius);
    padding: 0.3rem 0.55rem; min-height: 2.1rem; max-width: 100%;
  }
  input[type="checkbox"], input[type="radio"] { min-height: 0; width: 1.05rem; height: 1.05rem; accent-color: var(--accent); vertical-align: -0.15rem; }
  ::placeholder { color: var(--ink-2); opacity: 1; }
  input[aria-invalid="true"] { border-color: var(--danger); }
  fieldset { border: 0; margin: 0; padding: 0; }
  ul.bare, ol.bare { list-style: none; margin: 0; padding: 0; }
  .visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  @media (prefers-reduced-motion: reduce) { * { transition: none !important; animation: none !important; } }
`;
