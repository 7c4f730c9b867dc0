// Back-test: another policy over the last hours of the archive, and what would have been different; whoever may can then adopt
// it. A test that was begun lives in the address (`#/backtest/ID`) and goes on when the page is left.

import { css, html, nothing } from "lit";
import { customElement, state } from "lit/decorators.js";

import { api, ask, ifMatch, Refusal, type Schemas, unanswered } from "../../api/client";
import { Resource } from "../../api/resource";
import { session } from "../../api/session";
import { banner, bannerStyles } from "../../parts/banner";
import { confirm } from "../../parts/confirm";
import { Page } from "../../parts/page";
import { problem } from "../../parts/problem";
import { standing } from "../../parts/standing";
import { go, href } from "../../router";
import { base } from "../../style/base";
import { t } from "../../words";
import { moment, percent } from "../../words/numbers";
import { changes, inWords, type Settings, tried, type Typed, typedOf } from "./fields";
import "./form";
import "./result";

type Test = Schemas["Backtest"];
type Policy = Schemas["PolicyPage"];

const LOOK_MS = 500;

@customElement("q-backtest-page")
export class BacktestPage extends Page {
  @state() private typed: Typed = {};
  @state() private hours = 24;
  @state() private test: Test | undefined;
  @state() private failed: Refusal | undefined;
  @state() private adopted = false;

  readonly #policy = new Resource<Policy>(this, () => ask(api.GET("/api/v1/policy")), { every_ms: 60_000 });
  readonly #earlier = new Resource<Test[]>(this, async () => (await ask(api.GET("/api/v1/backtests"))).items, { every_ms: 60_000 });
  #timer: ReturnType<typeof setTimeout> | undefined;
  #looked = "";

  static override styles = [
    base,
    bannerStyles,
    css`
      :host { display: block; }
      h2 { margin-block: 1.5rem 0.4rem; }
      q-policy-form { margin-top: 1rem; display: block; }
      progress { width: min(24rem, 100%); accent-color: var(--accent); }
      .acts { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; margin-top: 0.9rem; }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    const hours = Number(this.place?.query.get("hours"));
    if (hours >= 1) this.hours = Math.round(hours);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#timer);
  }

  override render() {
    if (this.place.id !== this.#looked) this.#look(this.place.id);
    return html`<h1 tabindex="-1">${t("page.backtest")}</h1>
      <p class="quiet">${t("backtest.lead")}</p>
      ${standing(this.#policy, (policy) => this.#page(policy))} ${this.#listed()}`;
  }

  #page(policy: Policy) {
    const running = this.test?.state === "running";
    return html`<q-policy-form .inForce=${policy.effective} .typed=${this.typed} .hours=${this.hours} .running=${running} .language=${this.language}
        @q-typed=${({ detail }: CustomEvent<Typed>) => (this.typed = detail)}
        @q-hours=${({ detail }: CustomEvent<number>) => (this.hours = detail)}
        @q-run=${() => this.#run(policy)}></q-policy-form>
      ${this.failed ? problem(this.failed) : nothing} ${this.test ? this.#standing(this.test, policy) : nothing}`;
  }

  #standing(test: Test, policy: Policy) {
    switch (test.state) {
      case "running":
        return html`<h2>${test.title}</h2>
          <p role="status"><label for="share">${t("backtest.running", { share: percent(test.done_share) })}</label><br />
            <progress id="share" max="1" .value=${test.done_share}></progress></p>
          <div class="acts"><button @click=${() => this.#cancel(test.id)}>${t("backtest.cancel")}</button></div>`;
      case "failed":
        return banner("loud", t("backtest.failed", { problem: test.problem ?? "" }));
      case "cancelled":
        return banner("quiet", t("backtest.cancelled"));
      case "done":
        return html`<q-backtest-result .test=${test} .language=${this.language}></q-backtest-result>
          <div class="acts">${this.#adoption(test, policy)}</div>`;
    }
  }

  #adoption(test: Test, policy: Policy) {
    const changed = changes(policy.effective, typedOf(test.policy));
    if (this.adopted || changed.length === 0) return html`<p role="status">${t("backtest.adopted")}</p>`;
    if (!session.admin) return html`<p class="quiet">${t("backtest.read_only")}</p>`;
    const adopt = () =>
      confirm({
        title: t("backtest.adopt"),
        body: t("backtest.adopt_ask", { changes: inWords(changed) }),
        act: t("backtest.adopt"),
        danger: true,
        does: () => this.#adopt(policy, tried(changed)),
      });
    return html`<button class="danger" @click=${adopt}>${t("backtest.adopt")}…</button><code>${inWords(changed)}</code>`;
  }

  #listed() {
    const earlier = this.#earlier.value?.filter(({ id }) => id !== this.test?.id) ?? [];
    if (earlier.length === 0) return nothing;
    return html`<h2>${t("backtest.earlier")}</h2>
      <ul class="bare">${earlier.map(({ id, title, started_at_ms }) => html`<li><a href=${href("backtest", id)}>${title}</a> <span class="quiet">${moment(started_at_ms)}</span></li>`)}</ul>`;
  }

  async #run({ effective }: Policy): Promise<void> {
    const policy = tried(changes(effective, this.typed)) as Settings;
    await this.#try(async () => {
      const test = await ask(api.POST("/api/v1/backtests", { body: { hours: this.hours, policy } }));
      go("backtest", test.id);
    });
  }

  async #cancel(id: string): Promise<void> {
    await this.#try(async () => {
      await ask(api.DELETE("/api/v1/backtests/{id}", { params: { path: { id } } }));
    });
  }

  /** Looks at a test until it is over. */
  #look(id: string): void {
    clearTimeout(this.#timer);
    this.#looked = id;
    this.test = undefined;
    this.adopted = false;
    if (id) void this.#follow(id);
  }

  async #follow(id: string): Promise<void> {
    await this.#try(async () => {
      const test = await ask(api.GET("/api/v1/backtests/{id}", { params: { path: { id } } }));
      if (this.#looked !== id) return;
      const isFirst = this.test === undefined;
      this.test = test;
      if (isFirst && Object.keys(this.typed).length === 0) this.typed = typedOf(test.policy);
      if (test.state === "running") this.#timer = setTimeout(() => this.#follow(id), LOOK_MS);
      else void this.#earlier.refresh();
    });
  }

  async #adopt(page: Policy, changed: Partial<Settings>): Promise<void> {
    const body = { ...page.settings, ...changed };
    await ask(api.PUT("/api/v1/policy", { body, headers: ifMatch(page.inventory_version) }));
    this.adopted = true;
    await this.#policy.refresh();
  }

  async #try(act: () => Promise<void>): Promise<void> {
    try {
      this.failed = undefined;
      await act();
    } catch (error) {
      this.failed = error instanceof Refusal ? error : unanswered(error);
    }
  }
}
