// `<q-server-form>`: the fields of a server, with a row for each entry point. It draws into the form that it stands in, so that
// its fields are that form's own.

import { html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";

import type { Schemas } from "../../api/client";
import { t } from "../../words";
import { field } from "./section";
import { PROBES, VERIFY } from "./server-entry";

@customElement("q-server-form")
export class ServerForm extends LitElement {
  /** What is changed; a new server when absent. */
  @property({ attribute: false }) entry: Schemas["ServerEntry"] | undefined;
  /** Numbers of the rows that are there: a row's number is its place among the entry points before. */
  @state() private rows: number[] = [];
  #next = 0;

  override createRenderRoot() {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const count = this.entry?.entry_points?.length ?? 1;
    this.rows = Array.from({ length: Math.max(1, count) }, (_, at) => at);
    this.#next = this.rows.length;
  }

  override render() {
    const entry = this.entry;
    return html`<div class="grid">
        ${entry ? nothing : field(t("column.name"), html`<input name="id" required spellcheck="false" autocomplete="off" />`, t("form.id_hint"))}
        ${field(t("column.address"), html`<input name="address" required spellcheck="false" autocomplete="off" .value=${entry?.address ?? ""} />`)}
        ${field(t("fleet.country"), html`<input name="country" pattern="[A-Za-z]{2}" maxlength="2" autocomplete="off" .value=${entry?.country ?? ""} />`, t("form.country_hint"))}
        ${field(t("server.site"), html`<input name="site" spellcheck="false" autocomplete="off" .value=${entry?.site ?? ""} />`, t("form.site_hint"))}
        ${field(t("column.intent"), html`<select name="intent">${(["active", "drained", "disabled"] as const).map((intent) => html`<option value=${intent} ?selected=${intent === (entry?.intent ?? "active")}>${t(`intent_word.${intent}`)}</option>`)}</select>`)}
        <div class="field"><label><input type="checkbox" name="verifier" ?checked=${entry?.verifier ?? false} /> ${t("tag.verifier")}</label>
          <span class="quiet small">${t("form.verifier_hint")}</span></div>
      </div>
      <h3>${t("server.entry_points")}</h3>
      ${this.rows.map((row) => this.point(row, entry?.entry_points?.[row]))}
      <button type="button" @click=${this.add}>${t("form.add_entry_point")}</button>`;
  }

  private point(row: number, point: Schemas["EntryPointEntry"] | undefined) {
    const name = point?.name ?? point?.probe ?? "";
    return html`<fieldset class="grid point">
      <legend class="visually-hidden">${t("column.entry_point")} ${name}</legend>
      ${field(t("form.probe"), html`<select name="probe-${row}">${PROBES.map((probe) => html`<option ?selected=${probe === (point?.probe ?? "tls")}>${probe}</option>`)}</select>`)}
      ${field(t("form.port"), html`<input name="port-${row}" type="number" min="1" max="65535" placeholder="443" .value=${String(point?.port ?? "")} />`)}
      ${field("SNI", html`<input name="sni-${row}" spellcheck="false" autocomplete="off" .value=${point?.sni ?? ""} />`)}
      ${field(t("form.verify"), html`<select name="verify-${row}"><option value="">${t("form.verify_default")}</option>${VERIFY.map((verify) => html`<option ?selected=${verify === point?.verify}>${verify}</option>`)}</select>`)}
      <details>
        <summary>${t("form.more")}</summary>
        ${field(t("column.name"), html`<input name="name-${row}" spellcheck="false" placeholder=${point?.probe ?? "tls"} .value=${point?.name ?? ""} />`)}
        ${field(t("form.own_address"), html`<input name="address-${row}" spellcheck="false" .value=${point?.address ?? ""} />`)}
        ${field(t("form.pins"), html`<textarea name="pins-${row}" rows="2" spellcheck="false" .value=${(point?.pins ?? []).join("\n")}></textarea>`)}
        ${field(t("form.upstreams"), html`<input name="upstreams-${row}" spellcheck="false" .value=${(point?.upstreams ?? []).join(", ")} />`)}
      </details>
      ${this.rows.length > 1 ? html`<button type="button" class="plain" @click=${() => this.take(row)}>${t("form.remove_entry_point")}</button>` : nothing}
    </fieldset>`;
  }

  private readonly add = (): void => {
    this.rows = [...this.rows, this.#next];
    this.#next += 1;
  };

  private take(row: number): void {
    this.rows = this.rows.filter((known) => known !== row);
  }
}
