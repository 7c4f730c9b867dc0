// How the fleet's head looks: the count of each status as a large number that is a filter, and the line of the others.

import { css } from "lit";

export const filtersStyles = css`
  .head { display: flex; flex-wrap: wrap; align-items: end; gap: 0.6rem 2.2rem; margin-bottom: 0.7rem; }
  .statuses { display: flex; flex-wrap: wrap; gap: 0.2rem 0.35rem; }
  .statuses button { display: inline-flex; align-items: baseline; gap: 0.5rem; background: none; border-color: transparent; padding: 0.15rem 0.6rem; border-radius: 99px; }
  .statuses button:hover { border-color: var(--line-strong); }
  .statuses button[aria-pressed="true"] { border-color: var(--accent); background: var(--accent-wash); }
  .count { font-size: 1.25rem; font-weight: 650; }
  .filters { display: flex; flex-wrap: wrap; gap: 0.5rem 0.8rem; align-items: center; margin-block: 0.7rem 0.5rem; min-height: 2.1rem; }
  .filters label { font-weight: 400; }
  .search { flex: 0 1 24rem; }
  .search input { width: 100%; }
  .sort { display: none; }
  .nobody { padding-block: 2rem; }
  .first { margin-top: 1rem; }
  a.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
  @media (max-width: 46rem) { .search { flex-basis: 100%; } .sort { display: flex; align-items: center; gap: 0.4rem; } .sort span { white-space: nowrap; } .filters select { max-width: 10rem; } .statuses button { padding-inline: 0.35rem; } }
`;
