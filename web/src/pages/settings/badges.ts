// Links for badges: what to paste into a panel or a page that has no token. A link shows what it names until it ends, to whoever
// has it; all of them can be ended at once.

import { css, html, nothing } from "lit";
import { customElement, query, state } from "lit/decorators.js";

import { api, ask, Refusal, type Schemas, unanswered } from "../../api/client";
import { confirm } from "../../parts/confirm";
import "../../parts/copy";
import { Page } from "../../parts/page";
import { problem } from "../../parts/problem";
import { t } from "../../words";
import { exactly } from "../../words/numbers";
import { field, sectionStyles, text } from "./section";

const DAY_S = 24 * 3600;

@customElement("q-settings-badges")
export class BadgesSection extends Page {
  @state() private of: "server" | "route" = "server";
  @state() private made: Schemas["BadgeLink"] | undefined;
  @state() private refused: Refusal | undefined;
  @query("form") private form!: HTMLFormElement;

  static override styles = [
    ...sectionStyles,
    css`
      form { display: grid; gap: 0.7rem; max-width: 34rem; }
      input:not([type="radio"]) { width: 100%; }
      .kinds { display: flex; gap: 1.4rem; }
      dl { display: grid; gap: 0.2rem; margin-top: 1.2rem; max-width: 60rem; }
      dd { margin: 0 0 0.7rem; }
      dt { font-weight: 550; font-size: 0.87rem; }
      .ends { margin-top: 2rem; }
    `,
  ];

  override render() {
    return html`<header><h2>${t("settings.badges")}</h2></header>
      <p class="quiet note">${t("badges.what")}</p>
      <form @submit=${this.make}>
        <fieldset class="kinds"><legend class="visually-hidden">${t("badges.of")}</legend>
          ${(["server", "route"] as const).map((of) => html`<label><input type="radio" name="of" value=${of} ?checked=${of === this.of} @change=${() => (this.of = of)} /> ${t(`badges.${of}`)}</label>`)}
        </fieldset>
        ${field(t(this.of === "server" ? "column.server" : "column.route"), html`<input name="name" required spellcheck="false" autocomplete="off" />`)}
        ${this.of === "route" ? field(t("badges.subscriber"), html`<input name="subscriber" spellcheck="false" autocomplete="off" />`, t("badges.subscriber_hint")) : nothing}
        ${field(t("tokens.days"), html`<input name="days" type="number" min="1" max="3660" required .value=${"365"} />`)}
        ${this.refused ? problem(this.refused) : nothing}
        <div><button class="main">${t("badges.make")}</button></div>
      </form>
      ${this.made ? this.link(this.made) : nothing}
      <p class="ends"><button class="danger" @click=${this.endAll}>${t("badges.end_all")}</button></p>`;
  }

  private link({ element, svg, shield, api: address, until_s }: Schemas["BadgeLink"]) {
    const row = (label: string, value: string | null | undefined) => (value ? html`<dt>${label}</dt><dd><q-copy .text=${value}></q-copy></dd>` : nothing);
    return html`<div role="status"><dl>
        ${row(t("badges.element"), element)} ${row(t("badges.svg"), svg)} ${row(t("badges.shield"), shield)} ${row(t("badges.api"), address)}
      </dl><p class="quiet small">${t("badges.until", { until: exactly(until_s * 1000) })}</p></div>`;
  }

  private async make(event: Event): Promise<void> {
    event.preventDefault();
    const form = new FormData(this.form);
    const [name, subscriber] = [text(form, "name") ?? "", text(form, "subscriber")];
    const valid_for_s = Number(text(form, "days")) * DAY_S;
    const body = this.of === "server" ? { server: name, valid_for_s } : { route: name, ...(subscriber && { subscriber }), valid_for_s };
    try {
      this.made = await ask(api.POST("/api/v1/badge-links", { body }));
      this.refused = undefined;
    } catch (error) {
      this.made = undefined;
      this.refused = error instanceof Refusal ? error : unanswered(error);
    }
  }

  private readonly endAll = (): Promise<void> =>
    confirm({
      title: t("badges.end_title"),
      body: t("badges.end_body"),
      act: t("badges.end_all"),
      danger: true,
      does: async () => {
        await ask(api.DELETE("/api/v1/badge-links"));
        this.made = undefined;
      },
    });
}
