// The agent: how it came, by which certificates it is known, and what its last report says of the server itself.

import { css, html, nothing, type TemplateResult } from "lit";

import type { Schemas } from "../../api/client";
import "../../parts/mark";
import "../../parts/time";
import { href } from "../../router";
import { t, told } from "../../words";
import { bytes, number, percent, span } from "../../words/numbers";

export const agentStyles = css`
  .facts { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1.2rem; margin: 0; }
  .facts dt { color: var(--ink-2); }
  .facts dd { margin: 0; overflow-wrap: anywhere; }
  .bad { color: var(--danger); font-weight: 550; }
`;

type Fact = readonly [unknown, unknown];

function facts(list: readonly (Fact | null | undefined)[]): TemplateResult {
  return html`<dl class="facts">${list.map((fact) => (fact ? html`<dt>${fact[0]}</dt><dd>${fact[1]}</dd>` : nothing))}</dl>`;
}

export function session({ session: own, certificates, plan_refused }: Schemas["ServerDetail"], language: string): TemplateResult {
  const time = (at: number) => html`<q-time .at=${at} .language=${language}></q-time>`;
  const way = own?.edge ? html`<a href=${href("edges", own.edge)}>${own.edge}</a>` : t("agent.straight");
  return html`${plan_refused ? html`<p class="bad" lang="en">${t("tag.plan_refused")}: ${plan_refused}</p>` : nothing}
  ${facts([
    [t("agent.session"), own ? time(own.since_ms) : html`<span class="bad">${t("agent.no_session")}</span>`],
    own && [t("agent.version"), own.agent_version],
    own && [t("agent.way"), way],
    own && [t("agent.from"), html`<code>${own.claimed_addr ?? own.peer_addr}</code>${own.claim === "unverified" ? html` <span class="quiet">${t("agent.unverified")}</span>` : nothing}`],
    own?.dialled_addr ? [t("agent.dialled"), html`<code>${own.dialled_addr}</code>`] : undefined,
    ...certificates.map(
      ({ state, stage, not_after_ms }): Fact => [
        t("agent.certificate"),
        html`<span class=${["fresh", "due"].includes(stage) ? "" : "bad"}>${told(`stage.${stage}`, stage)}</span>${state === "pending" ? html` <span class="quiet">${t("agent.pending")}</span>` : nothing},
          ${t("agent.until")} <q-time as="moment" .at=${not_after_ms} .language=${language}></q-time>`,
      ],
    ),
    certificates.length === 0 ? [t("agent.certificate"), html`<span class="bad">${t("agent.no_certificate")}</span>`] : undefined,
  ])}`;
}

export function report(last: Schemas["ReportView"] | null | undefined, language: string): TemplateResult {
  if (!last) return html`<p class="quiet">${t("agent.no_report")}</p>`;
  const bad = (finding: string) => (finding === "failed" ? "bad" : finding === "unknown" ? "quiet" : "");
  const finding = (found: string) => told(`finding.${found}`, found);
  return html`${facts([
    [t("agent.report"), html`<q-time .at=${last.observed_at_ms} .language=${language}></q-time>`],
    [t("agent.health"), html`<span class=${last.health === "down" ? "bad" : ""}>${told(`health.${last.health}`, last.health)}</span>`],
    ...last.services.map(({ name, finding: found, detail }): Fact => [name, html`<span class=${bad(found)}>${finding(found)}</span> <span class="quiet" lang="en">${detail ?? ""}</span>`]),
    ...last.own.map(
      ({ entry_point, finding: found, detail, certificate_days_left: days }): Fact => [
        html`<span class="id">${entry_point}</span>`,
        html`<span class=${bad(found)}>${finding(found)}</span> <span class="quiet" lang="en">${detail ?? ""}</span>
          ${typeof days === "number" && days < 30 ? html`<span class="bad">${t("agent.days_left", { n: days })}</span>` : nothing}`,
      ],
    ),
    ...measured(last.metrics),
  ])}`;
}

function measured(metrics: Schemas["MetricsView"] | null | undefined): Fact[] {
  if (!metrics) return [];
  const found: Fact[] = [];
  const put = (name: string, value: number | null | undefined, words: (value: number) => string) => {
    if (typeof value === "number") found.push([told(`metric.${name}`, name), words(value)]);
  };
  const of = (name: string, used: number | null | undefined, all: number | null | undefined) => {
    if (typeof used === "number" && typeof all === "number" && all > 0) put(name, used, (value) => `${percent(value / all)} (${bytes(value)} / ${bytes(all)})`);
  };
  const rate = (value: number) => t("unit.per_s", { value: bytes(value) });
  put("cpu_percent", metrics.cpu_percent, (value) => percent(value / 100));
  put("load_per_core", metrics.load_per_core, (value) => number(value, 2));
  of("memory_used_share", metrics.memory_used_bytes, metrics.memory_total_bytes);
  of("disk_used_share", metrics.disk_used_bytes, metrics.disk_total_bytes);
  put("network_received_bytes_per_s", metrics.network_received_bytes_per_s, rate);
  put("network_sent_bytes_per_s", metrics.network_sent_bytes_per_s, rate);
  put("uptime", metrics.uptime_s, (value) => span(value * 1000));
  put("open_files", metrics.open_files, number);
  put("clock_offset", metrics.clock_offset_ms, (value) => `${number(value)} ms`);
  put("outbox_shed", metrics.outbox_shed || null, number);
  return found;
}
