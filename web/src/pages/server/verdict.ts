// The verdict, which is what one comes for: why in a sentence, who says so, what to do, what would lift it, without scrolling.

import { css, html, nothing, type TemplateResult } from "lit";

import type { Schemas } from "../../api/client";
import "../../parts/mark";
import { href } from "../../router";
import { currentLanguage, t } from "../../words";
import { country } from "../../words/numbers";
import type { Sorted } from "./sentences";
import { byCountry, type CountrySight, hearing, type Stand, type Witness } from "./witnesses";

export const verdictStyles = css`
  .verdict { border-left: 5px solid var(--shape, var(--line)); background: var(--raised); box-shadow: inset 0 0 0 1px var(--line); padding: 1rem 1.3rem 1.2rem; }
  .headline { font-size: 1.15rem; line-height: 1.45; max-width: 75ch; }
  .questions { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(19rem, 100%), 1fr)); gap: 1.2rem 2.4rem; margin-top: 1.1rem; }
  .questions h2 { font-size: 0.87rem; text-transform: none; letter-spacing: 0; color: var(--ink-2); margin-bottom: 0.35rem; }
  .act { font-size: 1.05rem; font-weight: 550; }
  .questions p + p { margin-top: 0.5rem; }
  .who { display: flex; flex-wrap: wrap; gap: 0.15rem 0.8rem; }
  .who + .label, .countries { margin-top: 0.5rem; }
  .label { font-size: 0.87rem; }
  .countries { border-top: 1px solid var(--line); padding-top: 0.5rem; }
  .sight { display: grid; grid-template-columns: minmax(7rem, auto) 1fr; gap: 0.6rem; align-items: center; font-size: 0.9rem; }
  .pips { letter-spacing: 0.1em; font-family: var(--mono); }
  .pips .cannot { color: var(--unreachable); } .pips .sees { color: var(--ok); } .pips .nothing { color: var(--ink-2); }
`;

export function verdict(detail: Schemas["ServerDetail"], found: Sorted, list: readonly Witness[], act: TemplateResult | typeof nothing): TemplateResult {
  const calm = detail.status === "ok" || detail.status === "disabled";
  return html`<section class="verdict ${detail.status}" aria-label=${t("server.verdict")}>
    <p class="headline" lang="en">${found.headline}</p>
    ${currentLanguage() === "en" ? nothing : html`<p class="quiet small">${t("server.in_english")}</p>`}
    <div class="questions">
      <div>
        <h2>${t("server.todo")}</h2>
        ${found.advice.length === 0 ? html`<p class="act">${t("server.nothing_to_do")}</p>` : nothing}
        ${found.advice.map(({ why, act: todo }) => html`<p class="act" lang="en">${todo}</p>${why ? html`<p class="quiet" lang="en">${why}</p>` : nothing}`)}
        ${act}
      </div>
      <div>
        <h2>${t("server.who")}</h2>
        ${people(list, "cannot")} ${people(list, "part")} ${people(list, "doubts")} ${people(list, "sees")}
        ${heard(list)}
      </div>
      ${calm && found.lifts.length === 0
        ? nothing
        : html`<div>
            <h2>${t("server.lifts")}</h2>
            ${found.lifts.map(({ of, text }) => html`<p lang="en">${of.length > 0 ? html`<span class="id">${of.join(", ")}</span>: ` : nothing}${text}</p>`)}
            ${found.lifts.length === 0 ? html`<p class="quiet">${t("server.lifts_itself")}</p>` : nothing}
          </div>`}
    </div>
  </section>`;
}

/** More names than these are on the list below. */
const NAMES_MAX = 12;

function people(list: readonly Witness[], stand: Exclude<Stand, "nothing">) {
  const own = list.filter((witness) => witness.stand === stand);
  if (own.length === 0) return nothing;
  const more = own.length - NAMES_MAX;
  return html`<p class="label">${t(`stand.${stand}`, { n: own.length })}</p>
    <ul class="bare who">
      ${own.slice(0, NAMES_MAX).map(({ id, country: code }) => html`<li><a class="id" href=${href("server", id)}>${id}</a> <span class="quiet small">${code}</span></li>`)}
      ${more > 0 ? html`<li class="quiet">${t("list.more_short", { n: more })}</li>` : nothing}
    </ul>`;
}

/** By country who sees it; in words where nobody says anything that counts. */
function heard(list: readonly Witness[]): TemplateResult {
  switch (hearing(list)) {
    case "nobody":
      return html`<p class="quiet">${t("server.nobody_said")}</p>`;
    case "earlier":
      return html`<p class="quiet">${t("server.nothing_fresh", { servers: few(list.map(({ id }) => id)) })}</p>`;
    case "now":
      return html`<div class="countries">${byCountry(list).map(sight)}</div>`;
  }
}

function few(names: readonly string[]): string {
  const items = names.slice(0, NAMES_MAX).join(", ");
  return names.length > NAMES_MAX ? t("list.more", { items, more: names.length - NAMES_MAX }) : items;
}

function sight({ country: code, cannot, sees, nothing: silent }: CountrySight) {
  const pips = (kind: string, shape: string, count: number) =>
    count > 0 ? html`<span class=${kind}>${count > NAMES_MAX ? `${shape}×${count}` : shape.repeat(count)}</span>` : nothing;
  return html`<div class="sight">
    <span>${code ? country(code) : t("server.no_country")}</span>
    <span><span class="pips" aria-hidden="true">${pips("cannot", "✕", cannot)}${pips("sees", "●", sees)}${pips("nothing", "○", silent)}</span>
      <span class="small num">${cannot + sees > 0 ? t("server.sees_of", { sees, asked: cannot + sees }) : t("mesh.told.unknown")}</span></span>
  </div>`;
}
