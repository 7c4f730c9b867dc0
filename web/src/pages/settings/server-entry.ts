// A server's form as the entry that is written: what the form does not show of an entry point stays as it was. Pure.

import type { Schemas } from "../../api/client";
import { text, words } from "./section";

type Entry = Schemas["ServerEntry"];
type Point = Schemas["EntryPointEntry"];

export const PROBES = ["tls", "https", "tcp", "quic", "quic_http3"] as const;
export const VERIFY = ["webpki", "pin", "none"] as const;

/** The entry that the form says, over what was there before. */
export function entryOf(form: FormData, before: Entry | undefined): Entry {
  const { country: _country, site: _site, ...kept } = before ?? { id: "", address: "" };
  const country = text(form, "country");
  const site = text(form, "site");
  return {
    ...kept,
    id: before?.id ?? text(form, "id") ?? "",
    address: text(form, "address") ?? "",
    ...(country && { country: country.toUpperCase() }),
    ...(site && { site }),
    verifier: form.get("verifier") === "on",
    intent: (text(form, "intent") ?? "active") as Schemas["IntentEntry"],
    entry_points: points(form, before?.entry_points ?? []),
  };
}

/** Entry points come as rows of fields named `probe-0`, `probe-1`, …; a row that was taken away has none. */
function points(form: FormData, before: readonly Point[]): Point[] {
  const rows = [...form.keys()].filter((name) => name.startsWith("probe-")).map((name) => Number(name.slice("probe-".length)));
  return rows.sort((a, b) => a - b).map((row) => point(form, row, before[row]));
}

function point(form: FormData, row: number, before: Point | undefined): Point {
  const of = (name: string) => text(form, `${name}-${row}`);
  const { name: _name, port: _port, sni: _sni, verify: _verify, pins: _pins, address: _address, upstreams: _upstreams, ...kept } = before ?? {};
  const [name, port, sni, verify, address] = [of("name"), of("port"), of("sni"), of("verify"), of("address")];
  const pins = words(of("pins"));
  const upstreams = words(of("upstreams"));
  return {
    ...kept,
    probe: of("probe") ?? "tls",
    ...(name && { name }),
    ...(port && { port: Number(port) }),
    ...(sni && { sni }),
    ...(verify && { verify }),
    ...(pins.length > 0 && { pins }),
    ...(address && { address }),
    ...(upstreams.length > 0 && { upstreams }),
  };
}
