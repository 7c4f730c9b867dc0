// How a resource stands, drawn: waited for, refused, or there; and where the newest asking failed, what is there with a line
// above it that says so.

import { html, nothing, type TemplateResult } from "lit";

import type { Resource } from "../api/resource";
import { t } from "../words";
import { problem } from "./problem";

export function standing<T>(resource: Resource<T>, draw: (value: T) => TemplateResult): TemplateResult {
  const again = () => resource.refresh();
  const failed = resource.failed ? problem(resource.failed, again) : nothing;
  if (resource.value !== undefined) return html`${failed}${draw(resource.value)}`;
  return resource.failed ? html`${failed}` : html`<p class="quiet" role="status">${t("load.waiting")}</p>`;
}
