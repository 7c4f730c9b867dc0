// Settings: one section at a time, named in the address. Who may only read sees what is declared and no button that would be
// refused; tokens, channels and the audit are for admins.

import { css, html, nothing } from "lit";
import { customElement } from "lit/decorators.js";
import { html as staticHtml, unsafeStatic } from "lit/static-html.js";

import { session } from "../../api/session";
import { Page } from "../../parts/page";
import { href } from "../../router";
import { base } from "../../style/base";
import { t } from "../../words";
import "./audit";
import "./badges";
import "./channels";
import "./deliveries";
import "./policy";
import "./routes";
import "./rules";
import "./servers";
import "./tokens";

interface Section {
  readonly name: "servers" | "routes" | "policy" | "channels" | "rules" | "deliveries" | "badges" | "tokens" | "audit";
  readonly admin: boolean;
}

const SECTIONS: readonly Section[] = [
  { name: "servers", admin: false },
  { name: "routes", admin: false },
  { name: "policy", admin: false },
  { name: "channels", admin: true },
  { name: "rules", admin: false },
  { name: "deliveries", admin: false },
  { name: "badges", admin: true },
  { name: "tokens", admin: true },
  { name: "audit", admin: true },
];

@customElement("q-settings-page")
export class SettingsPage extends Page {
  static override styles = [
    base,
    css`
      :host { display: grid; grid-template-columns: 11rem minmax(0, 1fr); gap: 1rem 2.6rem; }
      h1 { grid-column: 1 / -1; }
      nav a { display: block; padding: 0.35rem 0.7rem; color: var(--ink-2); text-decoration: none; border-left: 3px solid transparent; }
      nav a:hover { color: var(--ink); }
      nav a[aria-current] { color: var(--ink); border-left-color: var(--accent); font-weight: 600; }
      @media (max-width: 52rem) {
        :host { grid-template-columns: 1fr; }
        nav ul { display: flex; flex-wrap: wrap; }
        nav a { border-left: 0; border-bottom: 2px solid transparent; }
        nav a[aria-current] { border-bottom-color: var(--accent); }
      }
    `,
  ];

  override render() {
    const sections = SECTIONS.filter(({ admin }) => !admin || session.admin);
    const section = sections.find(({ name }) => name === this.place.id.split("/")[0]) ?? SECTIONS[0];
    const tag = unsafeStatic(`q-settings-${section?.name}`);
    return html`<h1 tabindex="-1">${t("page.settings")}</h1>
      <nav aria-label=${t("settings.sections")}>
        <ul class="bare">${sections.map(({ name }) => html`<li><a href=${href("settings", name)} aria-current=${name === section?.name ? "page" : nothing}>${t(`settings.${name}`)}</a></li>`)}</ul>
      </nav>
      ${staticHtml`<${tag} .place=${this.place} .language=${this.language}></${tag}>`}`;
  }
}
