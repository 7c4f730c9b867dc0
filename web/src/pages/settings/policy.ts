// The policy: the numbers that the rules compare with. What is typed can be tried on the past before it is put in force.

import { css, html, nothing } from "lit";
import { customElement, query } from "lit/decorators.js";

import { api, ask, ifMatch, type Schemas } from "../../api/client";
import { Resource } from "../../api/resource";
import { confirm } from "../../parts/confirm";
import { Page } from "../../parts/page";
import { standing } from "../../parts/standing";
import { go } from "../../router";
import { t } from "../../words";
import { changed, FIELDS, type PolicyField, settingsOf, typed } from "./policy-fields";
import { changeable, declaredNote, sectionStyles } from "./section";

interface Read {
  readonly policy: Schemas["PolicyPage"];
  readonly source: string;
}

@customElement("q-settings-policy")
export class PolicySection extends Page {
  readonly #policy = new Resource<Read>(this, read);
  @query("form") private form!: HTMLFormElement;

  static override styles = [
    ...sectionStyles,
    css`
      .field { display: grid; grid-template-columns: 15rem 9rem 1fr; gap: 0.2rem 1rem; align-items: center; padding-block: 0.4rem; border-bottom: 1px solid var(--line); }
      .value { display: flex; gap: 0.4rem; align-items: center; }
      input { width: 6rem; text-align: right; font-variant-numeric: tabular-nums; }
      .acts { display: flex; gap: 0.6rem; margin-top: 1rem; flex-wrap: wrap; }
      @media (max-width: 60rem) { .field { grid-template-columns: 1fr auto; } .field .what { grid-column: 1 / -1; } }
    `,
  ];

  override render() {
    return html`<header><h2>${t("settings.policy")}</h2></header>${standing(this.#policy, (found) => this.draw(found))}`;
  }

  private draw({ policy, source }: Read) {
    const may = changeable({ source });
    return html`${declaredNote({ source })}
      <p class="quiet note">${t("policy.what")}</p>
      <form @submit=${(event: Event) => this.save(event, policy)}>
        ${FIELDS.map((field) => this.field(field, policy))}
        <p class="acts">
          ${may ? html`<button class="main">${t("policy.save")}</button>` : nothing}
          <button type="button" @click=${() => this.tryIt(policy)}>${t("policy.try")}</button>
        </p>
      </form>`;
  }

  private field(field: PolicyField, { settings, effective }: Schemas["PolicyPage"]) {
    const { key, unit, least, most } = field;
    return html`<div class="field">
      <label for=${key}>${t(`policy.${key}`)} <span class="quiet small id">${key}</span></label>
      <span class="value"><input id=${key} name=${key} type="number" step="any" min=${least} max=${most ?? nothing}
        placeholder=${typed(field, effective)} .value=${typed(field, settings)} aria-describedby="${key}-what" /> ${unit}</span>
      <span id="${key}-what" class="what quiet small">${t(`policy.${key}_what`)}</span>
    </div>`;
  }

  private tryIt({ effective, settings }: Schemas["PolicyPage"]): void {
    go("backtest", "", changed(new FormData(this.form), effective, settings));
  }

  private async save(event: Event, { settings, inventory_version }: Schemas["PolicyPage"]): Promise<void> {
    event.preventDefault();
    const wanted = settingsOf(new FormData(this.form), settings);
    await confirm({
      title: t("policy.save_title"),
      body: t("policy.save_body"),
      act: t("policy.save"),
      does: async () => {
        await ask(api.PUT("/api/v1/policy", { body: wanted, headers: ifMatch(inventory_version) }));
      },
    });
    await this.#policy.refresh();
  }
}

async function read(): Promise<Read> {
  const [policy, fleet] = await Promise.all([ask(api.GET("/api/v1/policy")), ask(api.GET("/api/v1/fleet"))]);
  return { policy, source: fleet.inventory_source };
}
