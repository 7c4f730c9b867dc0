// Channels: where messages go. A secret is written and never shown; the test says what the other side answered.

import { html, nothing } from "lit";
import { customElement, state } from "lit/decorators.js";

import { api, ask, Refusal, type Schemas, unanswered } from "../../api/client";
import { Resource } from "../../api/resource";
import { banner } from "../../parts/banner";
import { confirm } from "../../parts/confirm";
import { Page } from "../../parts/page";
import { problem } from "../../parts/problem";
import { standing } from "../../parts/standing";
import { t } from "../../words";
import { number } from "../../words/numbers";
import { type ChannelField, channelOf, KINDS, type Kind, shown } from "./channel-entry";
import { field, sectionStyles, text } from "./section";

type Channel = Schemas["ChannelView"];
const NAMES = Object.keys(KINDS) as Kind[];

@customElement("q-settings-channels")
export class ChannelsSection extends Page {
  readonly #channels = new Resource<readonly Channel[]>(this, async () => (await ask(api.GET("/api/v1/notifications/channels"))).items);
  /** What a test said, by channel. */
  @state() private tested: { readonly id: string; readonly said?: Schemas["Tested"]; readonly refused?: Refusal } | undefined;

  static override styles = sectionStyles;

  override render() {
    return html`<header><h2>${t("channels.title")}</h2>
        ${NAMES.map((kind) => html`<button @click=${() => this.edit(kind, undefined)}>+ ${t(`channel.${kind}`)}</button>`)}</header>
      <p class="quiet note">${t("channels.what")}</p>
      ${standing(this.#channels, (channels) => (channels.length === 0 ? html`<p>${t("channels.none")}</p>` : this.list(channels)))}
      <div role="status">${this.answer()}</div>`;
  }

  private list(channels: readonly Channel[]) {
    return html`<div class="scroll"><table>
      <thead><tr><th scope="col">${t("column.name")}</th><th scope="col">${t("channels.kind")}</th><th scope="col">${t("channels.to")}</th>
        <th scope="col">${t("channels.queue")}</th><th scope="col"><span class="visually-hidden">${t("server.acts")}</span></th></tr></thead>
      <tbody>${channels.map(
        (channel) => html`<tr>
          <th scope="row" class="id">${channel.id}</th><td>${t(`channel.${channel.kind}`)}</td><td class="id small">${goal(channel)}</td>
          <td class="num">${t("channels.counts", { waiting: channel.waiting, dead: channel.dead })}</td>
          <td class="acts"><button @click=${() => this.test(channel.id)} aria-label="${t("channels.test")} ${channel.id}">${t("channels.test")}</button>
            <button @click=${() => this.edit(channel.kind, channel)} aria-label="${t("act.change")} ${channel.id}">${t("act.change")}</button>
            <button class="danger" @click=${() => this.drop(channel.id)} aria-label="${t("act.remove")} ${channel.id}">${t("act.remove")}</button></td>
        </tr>`,
      )}</tbody>
    </table></div>`;
  }

  private answer() {
    if (!this.tested) return nothing;
    const { id, said, refused } = this.tested;
    if (refused) return problem(refused);
    if (!said) return html`<p class="quiet">${t("channels.testing", { channel: id })}</p>`;
    return banner(said.ok ? "quiet" : "loud", html`<p><strong>${t(said.ok ? "channels.took" : "channels.refused", { channel: id })}</strong>
      <span lang="en">${said.said}</span> <span class="quiet num">${number(said.took_ms)} ms</span></p>`);
  }

  private async test(id: string): Promise<void> {
    this.tested = { id };
    try {
      this.tested = { id, said: await ask(api.POST("/api/v1/notifications/channels/{id}/test", { params: { path: { id } } })) };
    } catch (error) {
      this.tested = { id, refused: error instanceof Refusal ? error : unanswered(error) };
    }
  }

  private async edit(kind: Kind, before: Channel | undefined): Promise<void> {
    await confirm({
      title: before ? t("act.change_title", { name: before.id }) : t("channels.add", { kind: t(`channel.${kind}`) }),
      body: html`${before ? nothing : field(t("column.name"), html`<input name="id" required spellcheck="false" autocomplete="off" />`, t("form.id_hint"))}
        ${KINDS[kind].map((one) => control(one, before))}`,
      act: before ? t("act.save") : t("act.add"),
      does: async (form) => {
        const id = before?.id ?? text(form, "id") ?? "";
        await ask(api.PUT("/api/v1/notifications/channels/{id}", { params: { path: { id } }, body: channelOf(form, id, kind) }));
      },
    });
    await this.#channels.refresh();
  }

  private async drop(id: string): Promise<void> {
    await confirm({
      title: t("act.remove_title", { name: id }),
      body: t("channels.remove"),
      act: t("act.remove"),
      danger: true,
      does: async () => {
        await ask(api.DELETE("/api/v1/notifications/channels/{id}", { params: { path: { id } } }));
      },
    });
    await this.#channels.refresh();
  }
}

function control(one: ChannelField, before: Channel | undefined) {
  const { name, as, required = false, example = "" } = one;
  const value = before ? shown(one, before as unknown as Record<string, unknown>) : "";
  const label = t(`channel_field.${name}` as Parameters<typeof t>[0]);
  switch (as) {
    case "security":
      return field(label, html`<select name=${name}>${(["starttls", "tls", "none"] as const).map((word) => html`<option value=${word} ?selected=${word === (value || "starttls")}>${t(`security.${word}`)}</option>`)}</select>`);
    case "secret": {
      const known = before?.secrets_set.includes(name) ?? false;
      return field(label, html`<input name=${name} type="password" autocomplete="new-password" placeholder=${known ? "••••••••" : ""} />`, known ? t("channels.secret_kept") : nothing);
    }
    case "pem":
      return html`<details><summary>${label}</summary><textarea name=${name} rows="4" spellcheck="false" aria-label=${label} .value=${value}></textarea></details>`;
    case "number":
      return field(label, html`<input name=${name} type="number" placeholder=${example} .value=${value} />`);
    case "text":
    case "words":
    case "labels":
      return field(label, html`<input name=${name} ?required=${required} spellcheck="false" autocomplete="off" placeholder=${example} .value=${value} />`);
  }
}

/** Where it leads, in short. */
function goal(channel: Channel): string {
  switch (channel.kind) {
    case "webhook":
    case "alertmanager":
      return channel.url;
    case "mail":
      return `${channel.to.join(", ")} (${channel.host})`;
    case "telegram":
      return channel.chat;
  }
}
