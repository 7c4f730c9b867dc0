// `<q-policy-form>`: the numbers that can be tried, each beside what is in force. Tells `q-typed` with what was typed and `q-run`
// when it is to be tried.

import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";

import { base } from "../../style/base";
import { t } from "../../words";
import { number } from "../../words/numbers";
import { changes, type Effective, type Field, FIELDS, shown, type Typed, UNTRIED, wrong } from "./fields";

const HOURS = [6, 24, 72, 168] as const;
const HOURS_MAX = 2160;

@customElement("q-policy-form")
export class PolicyForm extends LitElement {
  @property({ attribute: false }) inForce!: Effective;
  @property({ attribute: false }) typed: Typed = {};
  @property({ type: Number }) hours = 24;
  @property({ type: Boolean }) running = false;
  @property() language = "en";

  static override styles = [
    base,
    css`
      .fields { display: grid; gap: 0.7rem 1.6rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); margin-block: 0.7rem; }
      .field { display: grid; gap: 0.1rem; align-content: start; }
      input { width: 8rem; }
      .changed label::after { content: " •"; color: var(--accent); }
      .wrong { color: var(--danger); }
      .acts { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; margin-top: 0.9rem; }
    `,
  ];

  override render() {
    const changed = new Set(changes(this.inForce, this.typed).map(({ name }) => name));
    const bad = new Set(wrong(this.typed));
    const ready = changed.size > 0 && bad.size === 0 && !this.running;
    return html`<form @submit=${this.#run}>
      <div class="field">
        <label for="hours">${t("backtest.hours")}</label>
        <input id="hours" type="number" min="1" max=${HOURS_MAX} list="hours-often" .value=${String(this.hours)} @input=${this.#hours} />
        <datalist id="hours-often">${HOURS.map((hours) => html`<option value=${hours}></option>`)}</datalist>
      </div>
      <fieldset><legend class="visually-hidden">${t("backtest.policy")}</legend>
        <div class="fields">${FIELDS.map((field) => this.#field(field, changed.has(field.name), bad.has(field.name)))}</div>
      </fieldset>
      <p class="quiet small">${t("backtest.kept", { fields: UNTRIED.join(", ") })}</p>
      <div class="acts">
        <button class="main" ?disabled=${!ready}>${t("backtest.run")}</button>
        ${changed.size > 0 || bad.size > 0 ? html`<button type="button" @click=${() => this.#tell("q-typed", {})}>${t("backtest.reset")}</button>` : html`<span class="quiet">${t("backtest.nothing_changed")}</span>`}
      </div>
    </form>`;
  }

  #field(field: Field, isChanged: boolean, isWrong: boolean) {
    const inForce = shown(field, this.inForce[field.name]);
    return html`<div class="field ${isChanged ? "changed" : ""}">
      <label for=${field.name}>${t(`backtest.field.${field.name}`)}</label>
      <input id=${field.name} inputmode="decimal" autocomplete="off" .value=${this.typed[field.name] ?? inForce} aria-invalid=${isWrong} aria-describedby="${field.name}-about"
        @input=${(event: Event) => this.#tell("q-typed", { ...this.typed, [field.name]: (event.target as HTMLInputElement).value })} />
      <span class="quiet small" id="${field.name}-about">
        <code>${field.name.replace(/_ms$/, "")}</code> ${field.rule}, ${t("backtest.in_force", { value: number(Number(inForce), 3) })}
        ${isWrong ? html`<br /><span class="wrong">${t("backtest.bad_number", { least: field.least })}</span>` : nothing}
      </span>
    </div>`;
  }

  readonly #hours = (event: Event): void => {
    const hours = Math.round(Number((event.target as HTMLInputElement).value));
    if (hours >= 1 && hours <= HOURS_MAX) this.#tell("q-hours", hours);
  };

  readonly #run = (event: Event): void => {
    event.preventDefault();
    this.#tell("q-run", undefined);
  };

  #tell(name: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
