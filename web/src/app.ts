// The shell: who is signed in, which page is shown, the way to the others, and what holds on all of them: language, light or
// dark, whether the news is fresh. A page's code is fetched when it is first gone to.

import { css, html, LitElement, nothing } from "lit";
import { customElement, state } from "lit/decorators.js";
import { html as staticHtml, unsafeStatic } from "lit/static-html.js";

import { session } from "./api/session";
import "./parts/mark";
import "./parts/news";
import { bannerStyles } from "./parts/banner";
import { problem } from "./parts/problem";
import { pages } from "./pages";
import { href, PAGES, parse, type Place } from "./router";
import { base } from "./style/base";
import { keptTheme, keepTheme, type Theme, THEMES } from "./style/theme";
import { speak, t } from "./words";
import { keepLanguage, type Language, LANGUAGE_NAMES, LANGUAGES, readersLanguage } from "./words/language";

@customElement("q-app")
export class App extends LitElement {
  @state() private place: Place = parse(location.hash);
  @state() private ready = false;
  @state() private missing = "";
  @state() private language: Language = "en";
  @state() private theme: Theme = keptTheme();

  static override styles = [
    base,
    bannerStyles,
    css`
      :host { display: block; min-height: 100vh; }
      .skip { position: absolute; left: -999rem; }
      .skip:focus { left: 0.5rem; top: 0.5rem; z-index: 10; background: var(--raised); padding: 0.5rem 1rem; }
      header { display: flex; flex-wrap: wrap; align-items: center; gap: 0 1.6rem; padding: 0.5rem clamp(0.9rem, 3vw, 2.4rem); border-bottom: 1px solid var(--line); }
      .name { font-weight: 700; letter-spacing: -0.02em; text-decoration: none; color: var(--ink); font-size: 1.05rem; }
      nav ul { display: flex; flex-wrap: wrap; gap: 0 1.1rem; }
      nav a { color: var(--ink-2); text-decoration: none; display: block; padding: 0.45rem 0; border-bottom: 2px solid transparent; }
      nav a:hover { color: var(--ink); }
      nav a[aria-current] { color: var(--ink); border-bottom-color: var(--accent); font-weight: 600; }
      .tools { margin-left: auto; display: flex; flex-wrap: wrap; align-items: center; gap: 0.35rem; font-size: 0.87rem; }
      .tools select { min-height: 1.8rem; padding-block: 0; border-color: transparent; background: transparent; color: var(--ink-2); }
      .tools select:hover { border-color: var(--line-strong); }
      option { background: var(--raised); color: var(--ink); }
      .tools button { min-height: 1.8rem; }
      main { padding: 1.1rem clamp(0.9rem, 3vw, 2.4rem) 4rem; max-width: 165rem; }
      main:focus { outline: none; }
      @media (max-width: 46rem) {
        nav { order: 3; flex-basis: 100%; overflow-x: auto; }
        nav ul { flex-wrap: nowrap; }
        nav a { white-space: nowrap; }
        .who { display: none; }
        .tools { gap: 0.1rem; }
        .tools select { max-width: 5.5rem; padding-inline: 0.1rem; }
        .tools button { padding-inline: 0.4rem; }
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    window.addEventListener("hashchange", this.moved);
    session.addEventListener("change", this.sessionChanged);
    void this.begin();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener("hashchange", this.moved);
    session.removeEventListener("change", this.sessionChanged);
  }

  override render() {
    if (!this.ready) return nothing;
    return html`<a class="skip" href="#main" @click=${this.skip}>${t("shell.skip")}</a>
      <header>
        <a class="name" href=${href("fleet")}>Quorate</a>
        ${session.who ? this.navigation() : nothing}
        <div class="tools">${session.who ? html`<q-news .language=${this.language}></q-news>` : nothing} ${this.choices()}</div>
      </header>
      <main id="main" tabindex="-1">${this.page()}</main>`;
  }

  private navigation() {
    const current = this.place.page === "server" ? "fleet" : this.place.page === "backtest" ? "history" : this.place.page;
    const item = (page: (typeof PAGES)[number]) =>
      html`<li><a href=${href(page)} aria-current=${current === page ? "page" : nothing}>${t(`page.${page}`)}</a></li>`;
    return html`<nav aria-label=${t("shell.pages")}>
      <ul class="bare">${PAGES.filter((page) => pages[page].listed).map(item)}</ul>
    </nav>`;
  }

  private choices() {
    return html`<select aria-label=${t("shell.theme")} @change=${this.chooseTheme}>
        ${THEMES.map((theme) => html`<option value=${theme} ?selected=${theme === this.theme}>${t(`theme.${theme}`)}</option>`)}
      </select>
      <select aria-label=${t("shell.language")} @change=${this.chooseLanguage}>
        ${LANGUAGES.map((tag) => html`<option value=${tag} lang=${tag} ?selected=${tag === this.language}>${LANGUAGE_NAMES[tag]}</option>`)}
      </select>
      ${session.who
        ? html`<span class="quiet who">${session.who.name}${session.who.name === session.who.role ? nothing : html` · ${t(`role.${session.who.role}`)}`}</span>
            <button @click=${() => session.signOut()}>${t("shell.sign_out")}</button>`
        : nothing}`;
  }

  private page() {
    if (!session.who && session.unknown) return problem(session.unknown, () => session.resume());
    if (!session.who) return html`<q-sign-in-page .language=${this.language}></q-sign-in-page>`;
    if (this.missing) return html`<h1 tabindex="-1">${t("shell.missing")}</h1><p>${this.missing}</p>`;
    const tag = unsafeStatic(pages[this.place.page].tag);
    return staticHtml`<${tag} .place=${this.place} .language=${this.language}></${tag}>`;
  }

  private async begin(): Promise<void> {
    this.language = readersLanguage();
    await Promise.all([speak(this.language), session.resume(), import("./pages/sign-in")]);
    await this.load();
    this.ready = true;
    this.entitle();
  }

  private async load(): Promise<void> {
    try {
      await pages[this.place.page].load();
      this.missing = "";
    } catch (error) {
      // A newer version may have replaced the files that this page would fetch.
      this.missing = `${t("shell.reload")} (${String(error)})`;
    }
  }

  private readonly moved = async (): Promise<void> => {
    if (location.hash === "#main") return;
    const before = this.place;
    const place = parse(location.hash);
    const loaded = pages[place.page].load().then(() => "", (error: unknown) => `${t("shell.reload")} (${String(error)})`);
    this.missing = await loaded;
    this.place = place;
    this.entitle();
    if (before.page === place.page && before.id === place.id) return;
    await this.updateComplete;
    window.scrollTo(0, 0);
    this.renderRoot.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
  };

  private readonly sessionChanged = async (): Promise<void> => {
    this.entitle();
    this.requestUpdate();
    // The form that had the focus is gone. Where one begins anew is the page; before its door, the form takes it by itself.
    if (!this.ready || !session.who) return;
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
  };

  private readonly skip = (event: Event): void => {
    event.preventDefault();
    this.renderRoot.querySelector<HTMLElement>("main")?.focus();
  };

  private entitle(): void {
    const here = session.who ? t(`page.${this.place.page}`) : t("sign_in.title");
    document.title = [session.who && this.place.id, here, "Quorate"].filter(Boolean).join(" · ");
  }

  private chooseTheme(event: Event): void {
    this.theme = (event.target as HTMLSelectElement).value as Theme;
    keepTheme(this.theme);
  }

  private async chooseLanguage(event: Event): Promise<void> {
    const wanted = (event.target as HTMLSelectElement).value as Language;
    await speak(wanted);
    keepLanguage(wanted);
    this.language = wanted;
    this.entitle();
  }
}
