// Rules: which alarms go to which channels, and when they are held back; and mutes, servers that nobody is told of for a while.

import { html, nothing } from "lit";
import { customElement } from "lit/decorators.js";

import { api, ask, type Schemas } from "../../api/client";
import { Resource } from "../../api/resource";
import { session } from "../../api/session";
import { confirm } from "../../parts/confirm";
import { Page } from "../../parts/page";
import { standing } from "../../parts/standing";
import "../../parts/time";
import { t, told } from "../../words";
import { LISTS, ruleOf, type RuleEntry, SEVERITIES, TOPICS, withRule } from "./rule-entry";
import { field, sectionStyles, text } from "./section";

interface Read {
  readonly rules: Schemas["RulesEntry"];
  readonly mutes: readonly Schemas["MuteView"][];
}

const HOUR_S = 3600;

@customElement("q-settings-rules")
export class RulesSection extends Page {
  readonly #read = new Resource<Read>(this, read);

  static override styles = sectionStyles;

  override render() {
    return html`${standing(this.#read, ({ rules, mutes }) => html`${this.rules(rules)} ${this.mutes(mutes)}`)}`;
  }

  private rules(written: Schemas["RulesEntry"]) {
    const rules = written.rules ?? [];
    return html`<header><h2>${t("rules.title")}</h2>
        ${session.admin ? html`<button @click=${() => this.edit(written, rules.length, {})}>${t("rules.add")}</button>` : nothing}</header>
      <p class="quiet note">${t("rules.grouping", { seconds: written.grouping_s ?? 20 })}
        ${session.admin ? html`<button class="plain" @click=${() => this.grouping(written)}>${t("act.change")}</button>` : nothing}</p>
      ${rules.length === 0
        ? html`<p>${t("rules.none")}</p>`
        : html`<div class="scroll"><table>
            <thead><tr><th scope="col">${t("rules.about")}</th><th scope="col">${t("rules.at_least")}</th><th scope="col">${t("rules.of")}</th>
              <th scope="col">${t("rules.channels")}</th><th scope="col">${t("rules.quiet")}</th>
              ${session.admin ? html`<th scope="col"><span class="visually-hidden">${t("server.acts")}</span></th>` : nothing}</tr></thead>
            <tbody>${rules.map((rule, at) => this.rule(written, rule, at))}</tbody>
          </table></div>`}`;
  }

  private rule(written: Schemas["RulesEntry"], rule: RuleEntry, at: number) {
    const of = [...(rule.servers ?? []), ...(rule.countries ?? []), ...(rule.routes ?? [])];
    return html`<tr>
      <td>${(rule.events ?? []).map((topic) => told(`topic.${topic}`, topic)).join(", ") || t("rules.everything")}</td>
      <td>${rule.at_least ? told(`severity.${rule.at_least}`, rule.at_least) : t("severity.info")}</td>
      <td>${of.join(", ") || t("rules.all")}</td>
      <td>${(rule.channels ?? []).join(", ") || t("rules.all")}</td>
      <td>${rule.quiet ? `${rule.quiet.from}–${rule.quiet.to} ${rule.quiet.zone}` : "–"}</td>
      ${session.admin
        ? html`<td class="acts"><button @click=${() => this.edit(written, at, rule)}>${t("act.change")}</button>
            <button class="danger" @click=${() => this.drop(written, at)}>${t("act.remove")}</button></td>`
        : nothing}
    </tr>`;
  }

  private mutes(mutes: readonly Schemas["MuteView"][]) {
    return html`<header><h3>${t("mutes.title")}</h3>${session.admin ? html`<button @click=${this.mute}>${t("mutes.add")}</button>` : nothing}</header>
      ${mutes.length === 0
        ? html`<p class="quiet">${t("mutes.none")}</p>`
        : html`<ul class="bare">${mutes.map(
            ({ server, until_ms, by, reason }) => html`<li><span class="id">${server}</span> ${t("agent.until")} <q-time as="moment" .at=${until_ms} .language=${this.language}></q-time>
              <span class="quiet">${by}${reason ? `: ${reason}` : ""}</span>
              ${session.admin ? html`<button class="plain" @click=${() => this.unmute(server)}>${t("mutes.end")}</button>` : nothing}</li>`,
          )}</ul>`}`;
  }

  private async put(written: Schemas["RulesEntry"]): Promise<void> {
    await ask(api.PUT("/api/v1/notifications/rules", { body: written }));
  }

  private async edit(written: Schemas["RulesEntry"], at: number, before: RuleEntry): Promise<void> {
    const rules = written.rules ?? [];
    await confirm({
      title: t(at < rules.length ? "rules.change" : "rules.add"),
      body: ruleForm(before),
      act: t("act.save"),
      does: (form) => {
        const rule = ruleOf(form);
        // The form has no field for these: what was written stays.
        if (rule.quiet && before.quiet) rule.quiet = { ...before.quiet, ...rule.quiet };
        return this.put({ ...written, rules: withRule(rules, at, rule) });
      },
    });
    await this.#read.refresh();
  }

  private async drop(written: Schemas["RulesEntry"], at: number): Promise<void> {
    const does = () => this.put({ ...written, rules: withRule(written.rules ?? [], at, undefined) });
    await confirm({ title: t("rules.remove"), body: t("rules.remove_body"), act: t("act.remove"), danger: true, does });
    await this.#read.refresh();
  }

  private async grouping(written: Schemas["RulesEntry"]): Promise<void> {
    await confirm({
      title: t("rules.grouping_title"),
      body: field(t("rules.seconds"), html`<input name="seconds" type="number" min="0" max="600" required .value=${String(written.grouping_s ?? 20)} />`),
      act: t("act.save"),
      does: (form) => this.put({ ...written, grouping_s: Number(text(form, "seconds")) }),
    });
    await this.#read.refresh();
  }

  private readonly mute = async (): Promise<void> => {
    await confirm({
      title: t("mutes.add"),
      body: html`${field(t("column.server"), html`<input name="server" required spellcheck="false" autocomplete="off" />`)}
        ${field(t("mutes.hours"), html`<input name="hours" type="number" min="1" max="8784" required .value=${"8"} />`)}
        ${field(t("mutes.why"), html`<input name="reason" autocomplete="off" />`)}`,
      act: t("mutes.add"),
      does: async (form) => {
        const server = text(form, "server") ?? "";
        const body = { for_s: Number(text(form, "hours")) * HOUR_S, reason: text(form, "reason") ?? "" };
        await ask(api.PUT("/api/v1/notifications/mutes/{server}", { params: { path: { server } }, body }));
      },
    });
    await this.#read.refresh();
  };

  private async unmute(server: string): Promise<void> {
    await ask(api.DELETE("/api/v1/notifications/mutes/{server}", { params: { path: { server } } }));
    await this.#read.refresh();
  }
}

function ruleForm(before: RuleEntry) {
  const zone = before.quiet?.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  return html`<fieldset><legend>${t("rules.about")} <span class="quiet small">${t("rules.empty_is_all")}</span></legend>
      <div class="grid">${TOPICS.map((topic) => html`<label><input type="checkbox" name="events" value=${topic} ?checked=${before.events?.includes(topic) ?? false} /> ${t(`topic.${topic}`)}</label>`)}</div></fieldset>
    ${field(t("rules.at_least"), html`<select name="at_least">${SEVERITIES.map((severity) => html`<option value=${severity} ?selected=${severity === (before.at_least ?? "info")}>${t(`severity.${severity}`)}</option>`)}</select>`)}
    <div class="grid">${LISTS.map((list) => field(t(`rules.list_${list}`), html`<input name=${list} spellcheck="false" autocomplete="off" .value=${(before[list] ?? []).join(", ")} />`))}</div>
    <fieldset><legend>${t("rules.quiet")}</legend><div class="grid">
      ${field(t("rules.from"), html`<input name="from" type="time" .value=${before.quiet?.from ?? ""} />`)}
      ${field(t("rules.to"), html`<input name="to" type="time" .value=${before.quiet?.to ?? ""} />`)}
      ${field(t("rules.zone"), html`<input name="zone" spellcheck="false" .value=${zone} />`)}
    </div></fieldset>`;
}

async function read(): Promise<Read> {
  const [rules, mutes] = await Promise.all([ask(api.GET("/api/v1/notifications/rules")), ask(api.GET("/api/v1/notifications/mutes"))]);
  return { rules, mutes: mutes.items };
}
