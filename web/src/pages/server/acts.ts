// What an admin does about a server from its page: take it out of routes and back, give it another address, enrol its agent,
// end its certificates. Each act says what it does before it is done, and is refused if somebody else changed the inventory
// since this page read it.

import { html, type TemplateResult } from "lit";

import { api, ask, ifMatch, type Schemas } from "../../api/client";
import { confirm } from "../../parts/confirm";
import "../../parts/copy";
import { t } from "../../words";

type Detail = Schemas["ServerDetail"];
type Intent = Schemas["IntentEntry"];

/** Writes a server's declaration; with `force` also if a route is left without an active server. */
export async function put(entry: Schemas["ServerEntry"], inventory_version: number, form?: FormData): Promise<void> {
  const query = form?.get("force") === "yes" ? { force: true } : {};
  const params = { path: { id: entry.id }, query };
  await ask(api.PUT("/api/v1/servers/{id}", { params, body: entry, headers: ifMatch(inventory_version) }));
}

/** The word on the button that overrules an empty route. */
export function overrule(refusal: { word: string }): string | undefined {
  return refusal.word === "route_would_be_empty" ? t("change.force") : undefined;
}

export function setIntent({ declared, id, inventory_version }: Detail, intent: Intent): Promise<void> {
  if (!declared) return Promise.resolve();
  return confirm({
    title: t(`intent.${intent}_title`, { server: id }),
    body: t(`intent.${intent}_body`),
    act: t(`intent.${intent}`),
    danger: intent === "disabled",
    force: overrule,
    does: (form) => put({ ...declared, intent }, inventory_version, form),
  });
}

export function setAddress({ declared, id, inventory_version }: Detail): Promise<void> {
  if (!declared) return Promise.resolve();
  return confirm({
    title: t("address.title", { server: id }),
    body: html`<p>${t("address.body")}</p>
      <label for="address">${t("column.address")}</label>
      <input id="address" name="address" required spellcheck="false" autocomplete="off" value=${declared.address} />`,
    act: t("address.do"),
    force: overrule,
    does: (form) => put({ ...declared, address: String(form.get("address")).trim() }, inventory_version, form),
  });
}

export async function enrol(id: string): Promise<void> {
  let made: TemplateResult | undefined;
  await confirm({
    title: t("enrol.title", { server: id }),
    body: t("enrol.body"),
    act: t("enrol.do"),
    does: async () => {
      const { command } = await ask(api.POST("/api/v1/servers/{id}/enrolment", { params: { path: { id } } }));
      made = html`<p>${t("enrol.made")}</p><p><q-copy .text=${command}></q-copy></p>`;
    },
  });
  if (made) await confirm({ title: t("enrol.title", { server: id }), body: made, act: t("dialog.done"), does: async () => {} });
}

export function revoke(id: string): Promise<void> {
  return confirm({
    title: t("revoke.title", { server: id }),
    body: t("revoke.body"),
    act: t("revoke.do"),
    danger: true,
    does: async () => {
      await ask(api.POST("/api/v1/servers/{id}/revoke", { params: { path: { id } } }));
    },
  });
}
