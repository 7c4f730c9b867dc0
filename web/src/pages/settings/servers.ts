// Servers as declared: add, change, remove, make a verifier, enrol. A server that was just added is followed by the one command
// that makes a machine its agent.

import { html, nothing } from "lit";
import { customElement } from "lit/decorators.js";

import { api, ask, ifMatch, type Schemas } from "../../api/client";
import { Resource } from "../../api/resource";
import { confirm } from "../../parts/confirm";
import { Page } from "../../parts/page";
import { standing } from "../../parts/standing";
import { href } from "../../router";
import { t } from "../../words";
import { enrol, overrule, put } from "../server/acts";
import { changeable, type Declared, declaredNote, readDeclared, sectionStyles } from "./section";
import { entryOf } from "./server-entry";
import "./server-form";

type Entry = Schemas["ServerEntry"];

@customElement("q-settings-servers")
export class ServersSection extends Page {
  readonly #declared = new Resource<Declared>(this, readDeclared);

  static override styles = sectionStyles;

  override render() {
    return html`${standing(this.#declared, (declared) => this.list(declared))}`;
  }

  private list(declared: Declared) {
    const may = changeable(declared);
    const servers = declared.inventory.servers ?? [];
    return html`<header><h2>${t("settings.servers")}</h2>
        ${may ? html`<button class="main" @click=${() => this.add(declared)}>${t("fleet.add")}</button>` : nothing}</header>
      ${declaredNote(declared)}
      ${servers.length === 0
        ? html`<p>${t("fleet.empty")} ${may ? t("fleet.empty_do") : nothing}</p>`
        : html`<div class="scroll"><table>
            <thead><tr><th scope="col">${t("column.server")}</th><th scope="col">${t("column.address")}</th><th scope="col">${t("column.country")}</th>
              <th scope="col">${t("column.entry_points")}</th><th scope="col">${t("column.intent")}</th><th scope="col">${t("tag.verifier")}</th>
              ${may ? html`<th scope="col"><span class="visually-hidden">${t("server.acts")}</span></th>` : nothing}</tr></thead>
            <tbody>${servers.map((entry) => this.row(entry, declared.version, may))}</tbody>
          </table></div>`}`;
  }

  private row(entry: Entry, version: number, may: boolean) {
    const points = (entry.entry_points ?? []).map(({ name, probe, port }) => `${name ?? probe ?? "tls"}:${port ?? 443}`);
    return html`<tr>
      <th scope="row"><a class="id" href=${href("server", entry.id)}>${entry.id}</a></th>
      <td class="id">${entry.address}</td>
      <td>${entry.country ?? ""} <span class="quiet">${entry.site ?? ""}</span></td>
      <td class="id small">${points.join(", ") || "tls:443"}</td>
      <td>${t(`intent_word.${entry.intent ?? "active"}`)}</td>
      <td>${entry.verifier ? t("word.yes") : html`<span class="quiet">${t("word.no")}</span>`}</td>
      ${may
        ? html`<td class="acts">
            <button @click=${() => this.change(entry, version)} aria-label="${t("act.change")} ${entry.id}">${t("act.change")}</button>
            <button @click=${() => this.verifier(entry, version)}>${t(entry.verifier ? "act.no_verifier" : "act.verifier")}</button>
            <button @click=${() => enrol(entry.id)}>${t("act.enrol")}</button>
            <button class="danger" @click=${() => this.remove_(entry.id, version)} aria-label="${t("act.remove")} ${entry.id}">${t("act.remove")}</button>
          </td>`
        : nothing}
    </tr>`;
  }

  private async add({ version }: Declared): Promise<void> {
    let added = "";
    await confirm({
      title: t("fleet.add"),
      body: html`<q-server-form></q-server-form>`,
      act: t("act.add"),
      does: async (form) => {
        const entry = entryOf(form, undefined);
        await put(entry, version, form);
        added = entry.id;
      },
    });
    await this.#declared.refresh();
    if (added) await enrol(added);
  }

  private async change(entry: Entry, version: number): Promise<void> {
    await confirm({
      title: t("act.change_title", { name: entry.id }),
      body: html`<q-server-form .entry=${entry}></q-server-form>`,
      act: t("act.save"),
      force: overrule,
      does: (form) => put(entryOf(form, entry), version, form),
    });
    await this.#declared.refresh();
  }

  private async verifier(entry: Entry, version: number): Promise<void> {
    const verifier = !entry.verifier;
    await confirm({
      title: t(verifier ? "verifier.title" : "verifier.end_title", { server: entry.id }),
      body: t(verifier ? "verifier.body" : "verifier.end_body"),
      act: t(verifier ? "act.verifier" : "act.no_verifier"),
      does: () => put({ ...entry, verifier }, version),
    });
    await this.#declared.refresh();
  }

  private async remove_(id: string, version: number): Promise<void> {
    await confirm({
      title: t("act.remove_title", { name: id }),
      body: t("settings.server_remove"),
      act: t("act.remove"),
      danger: true,
      force: overrule,
      does: async (form) => {
        const query = form.get("force") === "yes" ? { force: true } : {};
        await ask(api.DELETE("/api/v1/servers/{id}", { params: { path: { id }, query }, headers: ifMatch(version) }));
      },
    });
    await this.#declared.refresh();
  }
}
