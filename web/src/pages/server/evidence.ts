// The evidence: each witness with what it says of each entry point, what that counts as and how its last knock went; and each
// entry point with where it is lost. The table is what the verdict's sentences are made from.

import { css, html, nothing, type TemplateResult } from "lit";

import type { Schemas } from "../../api/client";
import { banner } from "../../parts/banner";
import "../../parts/mark";
import "../../parts/time";
import { href } from "../../router";
import { t, told } from "../../words";
import { milliseconds } from "../../words/numbers";
import type { Witness } from "./witnesses";

export const evidenceStyles = css`
  .votes td, .votes th { padding-block: 0.35rem; }
  .votes tbody + tbody th[scope="rowgroup"] { padding-top: 1rem; }
  .vote { white-space: nowrap; }
  .failure { display: block; font-size: 0.8rem; color: var(--ink-2); overflow-wrap: anywhere; white-space: normal; }
  .counts { font-size: 0.8rem; color: var(--ink-2); }
  .entries td { max-width: 28rem; }
`;

type Vote = Schemas["Vote"] & { readonly cell?: Schemas["Cell"] | undefined };

/** A vote's shape, as a status' one: seen, in doubt, lost, nothing known. */
const SHAPES: Record<Schemas["PairWord"], string> = {
  sees: "ok", failing: "degraded", sustained: "unreachable", held: "unreachable", unknown: "no_data", not_probed: "disabled",
};

export function votes(list: readonly Witness[], entry_points: readonly Schemas["EntryDetail"][], server: string, language: string): TemplateResult {
  const short = (id: string) => id.slice(server.length + 1);
  return html`<div class="scroll"><table class="votes">
    <thead><tr><th scope="col">${t("server.witness")}</th><th scope="col">${t("fleet.country")}</th><th scope="col">${t("server.site")}</th>
      ${entry_points.map(({ id }) => html`<th scope="col"><span class="id">${short(id)}</span></th>`)}</tr></thead>
    <tbody>${list.map(
      ({ id, country, site, votes: own }) => html`<tr>
        <th scope="row"><a class="id" href=${href("server", id)}>${id}</a></th>
        <td>${country}</td><td class="quiet">${site}</td>
        ${entry_points.map((entry) => html`<td>${vote(own.get(entry.id), language)}</td>`)}
      </tr>`,
    )}</tbody>
  </table></div>`;
}

function vote(said: Vote | undefined, language: string) {
  if (!said) return html`<span class="quiet">${t("cell.not_probed")}</span>`;
  const { word, counts_as, cell, streak, first_failed_at_ms } = said;
  // A vote that is what its word says needs no second one.
  const plain = counts_as === "vouches" || counts_as === "accuses" || (counts_as === "nothing" && word !== "sustained");
  return html`<span class="vote"><q-mark bare .status=${SHAPES[word as Schemas["PairWord"]]} .language=${language}></q-mark> ${told(`cell.${word}`, word)}</span>
    ${typeof cell?.latency_ms === "number" && word === "sees" ? html`<span class="quiet small num">${milliseconds(cell.latency_ms)}</span>` : nothing}
    ${plain ? nothing : html`<span class="counts">${told(`counts.${counts_as}`, counts_as)}</span>`}
    ${cell?.failure ? html`<span class="failure"><code>${cell.failure}</code></span>` : nothing}
    ${cell?.inconclusive ? html`<span class="failure">${t("server.inconclusive")} <code>${cell.inconclusive}</code></span>` : nothing}
    ${streak > 0
      ? html`<span class="failure">${t("server.streak", { n: streak })}${first_failed_at_ms ? html`, <q-time as="moment" .at=${first_failed_at_ms} .language=${language}></q-time>` : nothing}</span>`
      : nothing}`;
}

export function entries(list: readonly Schemas["EntryDetail"][], language: string): TemplateResult {
  return html`<div class="scroll"><table class="entries">
    <thead><tr><th scope="col">${t("column.entry_point")}</th><th scope="col">${t("column.state")}</th><th scope="col">${t("column.address")}</th>
      <th scope="col">${t("column.lost_in")}</th><th scope="col">${t("column.sites")}</th><th scope="col">${t("column.not_counted")}</th></tr></thead>
    <tbody>${list.map((entry) => html`<tr>
      <th scope="row" class="id">${entry.id}</th>
      <td><q-mark .status=${entry.state} .language=${language}></q-mark></td>
      <td class="id">${entry.address ?? ""} <span class="quiet small">${entry.lane}</span></td>
      <td>${places(entry)}</td>
      <td class="num">${t("server.sites", { against: entry.against_sites.length, for: entry.for_sites.length })}</td>
      <td>${uncounted(entry)}</td>
    </tr>`)}</tbody>
  </table></div>`;
}

function places({ unreachable_in, blocked_in, blocked_by, pairs, upstreams }: Schemas["EntryDetail"]) {
  const found: string[] = [];
  const scope = (place: string) => (place === "fleet" ? t("server.whole_fleet") : place);
  if (unreachable_in.length > 0) found.push(`${t("state.unreachable")}: ${unreachable_in.map(scope).join(", ")}`);
  if (blocked_in.length > 0) found.push(`${t("state.blocked")}: ${blocked_in.map(scope).join(", ")} (${blocked_by.join(", ")})`);
  if (pairs.length > 0) found.push(pairs.map(({ witness, mutual }) => t(mutual ? "server.pair_mutual" : "server.pair", { witness })).join("; "));
  if (upstreams.length > 0) found.push(t("server.upstreams", { servers: upstreams.join(", ") }));
  return found.map((text) => html`<div>${text}</div>`);
}

function uncounted({ discarded, void: voided, held }: Schemas["EntryDetail"]) {
  const found: string[] = [];
  if (discarded.length > 0) found.push(t("server.discarded", { servers: discarded.join(", ") }));
  if (voided.length > 0) found.push(t("server.void", { servers: voided.join(", ") }));
  if (held.length > 0) found.push(t("server.held", { servers: held.map(({ server }) => server).join(", ") }));
  return found.length === 0 ? html`<span class="quiet">–</span>` : found.map((text) => html`<div>${text}</div>`);
}

/** What it says about itself as a witness, where that is amiss. */
export function asWitness({ sight, half_blind_witness }: Schemas["ServerDetail"]): TemplateResult | typeof nothing {
  const lanes = sight.filter(({ discredited }) => discredited);
  if (lanes.length === 0 && !half_blind_witness) return nothing;
  return banner("warn", html`${lanes.map(({ lane, seen, neighbours }) => html`<p>${t("server.discredited", { lane, seen, neighbours })}</p>`)}
    ${half_blind_witness ? html`<p>${t("server.half_blind", { unseen: half_blind_witness.unseen.length, judged: half_blind_witness.judged })}</p>` : nothing}`);
}
