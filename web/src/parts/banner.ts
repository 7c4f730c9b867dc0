// A line across a page that says what holds for all of it: what is seen, and what it means. Loud ones are alerts.

import { css, html, nothing, type TemplateResult } from "lit";

export type Loudness = "quiet" | "warn" | "loud";

const SIGNS: Record<Loudness, string> = { quiet: "i", warn: "!", loud: "!" };

export const bannerStyles = css`
  .banner { display: flex; gap: 0.7rem; align-items: baseline; padding: 0.55rem 0.8rem; border-left: 4px solid var(--line-strong); background: var(--sunken); margin-block: 0.5rem; }
  .banner .sign { font-weight: 800; font-family: var(--mono); }
  .banner p { max-width: 110ch; }
  .banner.warn { border-color: var(--degraded); background: var(--warn-wash); }
  .banner.loud { border-color: var(--danger); background: var(--danger-wash); }
  .banner .more { margin-left: auto; white-space: nowrap; }
`;

export function banner(loudness: Loudness, what: unknown, more: unknown = nothing): TemplateResult {
  return html`<div class="banner ${loudness}" role=${loudness === "loud" ? "alert" : "note"}>
    <span class="sign" aria-hidden="true">${SIGNS[loudness]}</span>
    <div>${what}</div>
    ${more === nothing ? nothing : html`<span class="more">${more}</span>`}
  </div>`;
}
