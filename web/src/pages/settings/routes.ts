// Routes as declared: which entry points are offered, in which order, to which countries' users.

import { html, nothing } from "lit";
import { customElement } from "lit/decorators.js";

import { api, ask, ifMatch, type Schemas } from "../../api/client";
import { Resource } from "../../api/resource";
import { confirm } from "../../parts/confirm";
import { Page } from "../../parts/page";
import { standing } from "../../parts/standing";
import { href } from "../../router";
import { t } from "../../words";
import { overrule } from "../server/acts";
import { changeable, type Declared, declaredNote, field, readDeclared, sectionStyles, text, words } from "./section";

type Entry = Schemas["RouteEntry"];

@customElement("q-settings-routes")
export class RoutesSection extends Page {
  readonly #declared = new Resource<Declared>(this, readDeclared);

  static override styles = sectionStyles;

  override render() {
    return html`${standing(this.#declared, (declared) => this.list(declared))}`;
  }

  private list(declared: Declared) {
    const may = changeable(declared);
    const routes = declared.inventory.routes ?? [];
    return html`<header><h2>${t("settings.routes")}</h2>
        ${may ? html`<button class="main" @click=${() => this.edit(undefined, declared)}>${t("routes.add")}</button>` : nothing}</header>
      ${declaredNote(declared)}
      ${routes.length === 0
        ? html`<p>${t("routes.empty")}</p>`
        : html`<div class="scroll"><table>
            <thead><tr><th scope="col">${t("column.route")}</th><th scope="col">${t("column.audience")}</th><th scope="col">${t("column.entry_points")}</th>
              ${may ? html`<th scope="col"><span class="visually-hidden">${t("server.acts")}</span></th>` : nothing}</tr></thead>
            <tbody>${routes.map((route) => this.row(route, declared, may))}</tbody>
          </table></div>`}`;
  }

  private row(route: Entry, declared: Declared, may: boolean) {
    return html`<tr>
      <th scope="row"><a class="id" href=${href("routes", route.id)}>${route.id}</a></th>
      <td>${(route.audience ?? []).join(", ") || html`<span class="quiet">${t("routes.everybody")}</span>`}</td>
      <td class="id small">${route.entry_points.join(", ")}</td>
      ${may
        ? html`<td class="acts"><button @click=${() => this.edit(route, declared)} aria-label="${t("act.change")} ${route.id}">${t("act.change")}</button>
            <button class="danger" @click=${() => this.drop(route.id, declared.version)} aria-label="${t("act.remove")} ${route.id}">${t("act.remove")}</button></td>`
        : nothing}
    </tr>`;
  }

  private async edit(before: Entry | undefined, { inventory, version }: Declared): Promise<void> {
    const known = (inventory.servers ?? []).flatMap(({ id, entry_points }) => {
      const names = (entry_points ?? []).map(({ name, probe }) => `${id}/${name ?? probe ?? "tls"}`);
      return names.length > 0 ? names : [`${id}/tls`];
    });
    await confirm({
      title: before ? t("act.change_title", { name: before.id }) : t("routes.add"),
      body: html`${before ? nothing : field(t("column.name"), html`<input name="id" required spellcheck="false" autocomplete="off" />`, t("form.id_hint"))}
        ${field(t("column.audience"), html`<input name="audience" spellcheck="false" .value=${(before?.audience ?? []).join(", ")} />`, t("form.audience_hint"))}
        ${field(t("column.entry_points"), html`<textarea name="entry_points" rows="8" required spellcheck="false" .value=${(before?.entry_points ?? known).join("\n")}></textarea>`, t("form.order_hint"))}`,
      act: before ? t("act.save") : t("act.add"),
      force: overrule,
      does: async (form) => {
        const id = before?.id ?? text(form, "id") ?? "";
        const body: Entry = { ...before, id, audience: words(text(form, "audience")), entry_points: words(text(form, "entry_points")) };
        const query = form.get("force") === "yes" ? { force: true } : {};
        await ask(api.PUT("/api/v1/routes/{id}", { params: { path: { id }, query }, body, headers: ifMatch(version) }));
      },
    });
    await this.#declared.refresh();
  }

  private async drop(id: string, version: number): Promise<void> {
    await confirm({
      title: t("act.remove_title", { name: id }),
      body: t("settings.route_remove"),
      act: t("act.remove"),
      danger: true,
      does: async () => {
        await ask(api.DELETE("/api/v1/routes/{id}", { params: { path: { id } }, headers: ifMatch(version) }));
      },
    });
    await this.#declared.refresh();
  }
}
