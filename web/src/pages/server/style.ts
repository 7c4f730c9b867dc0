// How the server's page is laid out.

import { css } from "lit";

export const serverStyles = css`
  .back { margin-bottom: 0.4rem; font-size: 0.87rem; }
  .back a { text-decoration: none; }
  header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.3rem 1.2rem; margin-bottom: 0.9rem; }
  h1 { font-family: var(--mono); }
  .status { font-size: 1.1rem; display: inline-flex; gap: 0.6rem; align-items: baseline; }
  .where { flex-basis: 100%; max-width: none; }
  .acts { display: flex; flex-wrap: wrap; gap: 0.45rem; }
  header .acts { margin-left: auto; }
  .verdict .acts, section > .acts { margin-top: 0.8rem; }
  section { margin-top: 1.9rem; }
  .verdict { margin-top: 0; }
  section > h2 { margin-bottom: 0.5rem; }
  section > h3 { margin: 0.9rem 0 0.3rem; }
  .sentences li { max-width: 95ch; padding-block: 0.2rem; }
  .rules { font-size: 0.75rem; color: var(--ink-2); font-family: var(--mono); white-space: nowrap; }
  .pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); gap: 0 3rem; }
  .verdict.ok { --shape: var(--ok); } .verdict.marked { --shape: var(--marked); } .verdict.contested { --shape: var(--contested); }
  .verdict.degraded { --shape: var(--degraded); } .verdict.blocked { --shape: var(--blocked); } .verdict.unreachable { --shape: var(--unreachable); }
  .verdict.down { --shape: var(--down); } .verdict.no_data, .verdict.pending, .verdict.disabled { --shape: var(--no_data); }
`;
