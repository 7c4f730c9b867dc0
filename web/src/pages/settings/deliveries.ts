// Deliveries: messages on their way, those that arrived, and those that were given up, which can be sent again.

import { html, nothing } from "lit";
import { customElement, state } from "lit/decorators.js";

import { api, ask, type Schemas } from "../../api/client";
import { Resource } from "../../api/resource";
import { session } from "../../api/session";
import { Page } from "../../parts/page";
import { standing } from "../../parts/standing";
import "../../parts/time";
import { t, told } from "../../words";
import { sectionStyles } from "./section";

type Delivery = Schemas["DeliveryView"];

const STATES = ["", "waiting", "sent", "dead"] as const;

@customElement("q-settings-deliveries")
export class DeliveriesSection extends Page {
  @state() private wanted: (typeof STATES)[number] = "";
  readonly #deliveries = new Resource<readonly Delivery[]>(this, () => this.read(), { every_ms: 5000 });

  static override styles = sectionStyles;

  override render() {
    return html`<header><h2>${t("deliveries.title")}</h2>
        <label>${t("column.state")} <select @change=${this.choose}>${STATES.map((one) => html`<option value=${one} ?selected=${one === this.wanted}>${one ? t(`delivery.${one}`) : t("deliveries.all")}</option>`)}</select></label></header>
      ${standing(this.#deliveries, (deliveries) => (deliveries.length === 0 ? html`<p class="quiet">${t("deliveries.none")}</p>` : this.list(deliveries)))}`;
  }

  private list(deliveries: readonly Delivery[]) {
    return html`<div class="scroll"><table>
      <thead><tr><th scope="col">${t("column.when")}</th><th scope="col">${t("deliveries.message")}</th><th scope="col">${t("deliveries.channel")}</th>
        <th scope="col">${t("column.state")}</th><th scope="col">${t("deliveries.said")}</th>${session.admin ? html`<th scope="col"><span class="visually-hidden">${t("server.acts")}</span></th>` : nothing}</tr></thead>
      <tbody>${deliveries.map((delivery) => this.row(delivery))}</tbody>
    </table></div>`;
  }

  private row({ id, made_at_ms, title, severity, channel, state: now, attempts, said, due_at_ms }: Delivery) {
    const time = (at: number) => html`<q-time as="moment" .at=${at} .language=${this.language}></q-time>`;
    return html`<tr>
      <td class="nowrap">${time(made_at_ms)}</td>
      <td lang="en">${title} <span class="quiet small">${told(`severity.${severity}`, severity)}</span></td>
      <td class="id">${channel}</td>
      <td>${told(`delivery.${now}`, now)} <span class="quiet small">${t("deliveries.tries", { n: attempts })}${due_at_ms ? html`, ${t("deliveries.next")} ${time(due_at_ms)}` : nothing}</span></td>
      <td class="small" lang="en">${said ?? ""}</td>
      ${session.admin ? html`<td class="acts">${now === "dead" ? html`<button @click=${() => this.again(id)}>${t("deliveries.again")}</button>` : nothing}</td>` : nothing}
    </tr>`;
  }

  private async read(): Promise<readonly Delivery[]> {
    return (await ask(api.GET("/api/v1/notifications/deliveries", { params: { query: { ...(this.wanted && { state: this.wanted }) } } }))).items;
  }

  private async again(id: number): Promise<void> {
    await ask(api.POST("/api/v1/notifications/deliveries/{id}/redeliver", { params: { path: { id } } }));
    await this.#deliveries.refresh();
  }

  private choose(event: Event): void {
    this.wanted = (event.target as HTMLSelectElement).value as (typeof STATES)[number];
    this.#deliveries.reset();
  }
}
