// What the sections share: the declared inventory with its version, where it is declared, and the looks of a list with buttons.

import { css, html, nothing, type TemplateResult } from "lit";

import { api, ask, type Schemas } from "../../api/client";
import { session } from "../../api/session";
import { bannerStyles } from "../../parts/banner";
import { base } from "../../style/base";
import { t } from "../../words";

export interface Declared {
  readonly inventory: Schemas["Inventory"];
  /** Read before the inventory: at worst a change is refused as made on an older one, and never made on a newer one unseen. */
  readonly version: number;
  readonly source: string;
}

export async function readDeclared(): Promise<Declared> {
  const { inventory_version: version, inventory_source: source } = await ask(api.GET("/api/v1/fleet"));
  return { inventory: await ask(api.GET("/api/v1/inventory")), version, source };
}

export function changeable({ source }: Pick<Declared, "source">): boolean {
  return session.admin && source === "api";
}

/** Where changes are made, if not here. */
export function declaredNote({ source }: Pick<Declared, "source">): TemplateResult | typeof nothing {
  return session.admin && source !== "api" ? html`<p class="quiet note">${t("change.declared", { file: source })}</p>` : nothing;
}

export const sectionStyles = [
  base,
  bannerStyles,
  css`
    :host { display: block; min-width: 0; }
    header { display: flex; flex-wrap: wrap; gap: 0.5rem 1.2rem; align-items: center; margin-bottom: 0.6rem; }
    header h2, header h3 { margin-right: auto; }
    header label { font-weight: 400; }
    .note { margin-bottom: 0.6rem; }
    td.acts { text-align: right; white-space: nowrap; padding-right: 0; }
    td.acts button { min-height: 1.8rem; padding: 0.1rem 0.55rem; font-size: 0.87rem; }
    h3 { margin: 1.6rem 0 0.4rem; }
  `,
];

/** Fields of a question: a label over each. */
export function field(label: string, control: TemplateResult, hint: string | typeof nothing = nothing): TemplateResult {
  return html`<div class="field"><label>${label}${control}</label>${hint === nothing ? nothing : html`<span class="quiet small">${hint}</span>`}</div>`;
}

/** A field's text without its edges, absent if nothing is left. */
export function text(form: FormData, name: string): string | undefined {
  const value = form.get(name);
  const trimmed = typeof value === "string" ? value.trim() : "";
  return trimmed === "" ? undefined : trimmed;
}

/** What stands in a list of words, by commas, spaces or lines. */
export function words(value: string | undefined): string[] {
  return (value ?? "").split(/[\s,]+/).filter(Boolean);
}
