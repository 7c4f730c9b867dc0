import { expect, test } from "vitest";

import { channelOf, KINDS, shown } from "./channel-entry";
import { differences } from "./difference";
import { ruleOf, withRule } from "./rule-entry";
import { words } from "./section";
import { entryOf } from "./server-entry";

const form = (fields: Record<string, string>) => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
};

test("a server's form becomes its entry, and what is left empty is not written", () => {
  const entry = entryOf(form({ id: " nl-9 ", address: "198.51.100.9", country: "nl", site: "", intent: "active", "probe-0": "tls", "port-0": "", "sni-0": "a.example" }), undefined);
  expect(entry).toEqual({
    id: "nl-9", address: "198.51.100.9", country: "NL", verifier: false, intent: "active", entry_points: [{ probe: "tls", sni: "a.example" }],
  });
});

test("what a form does not show of an entry point stays as it was, and a row that was taken away is gone", () => {
  const before = {
    id: "nl-1", address: "198.51.100.7", site: "ams", entry_points: [{ probe: "tls", port: 443 }, { probe: "https", path: "/x", expect_status: 204, weight: 3, port: 8443 }],
  };
  const entry = entryOf(form({ address: "198.51.100.8", verifier: "on", intent: "drained", "probe-1": "https", "port-1": "9443" }), before);
  expect(entry).toEqual({
    id: "nl-1", address: "198.51.100.8", verifier: true, intent: "drained", entry_points: [{ probe: "https", path: "/x", expect_status: 204, weight: 3, port: 9443 }],
  });
});

test("lists of words may be typed with commas, spaces or lines", () => {
  expect(words(" RU, KZ\nUA  ")).toEqual(["RU", "KZ", "UA"]);
  expect(words(undefined)).toEqual([]);
});

test("of a change the audit shows what is different, and by path", () => {
  const before = { id: "nl-1", address: "a", entry_points: [{ port: 1 }], policy: { quorum: 2 } };
  const after = { id: "nl-1", address: "b", entry_points: [{ port: 2 }], policy: { quorum: 3 }, site: "ams" };
  expect(differences(before, after)).toEqual([
    { path: "address", before: "a", after: "b" },
    { path: "entry_points", before: '[{"port":1}]', after: '[{"port":2}]' },
    { path: "policy.quorum", before: "2", after: "3" },
    { path: "site", after: "ams" },
  ]);
});

test("what was made or removed is told field by field", () => {
  expect(differences(undefined, { name: "panel" })).toEqual([{ path: "name", after: "panel" }]);
  expect(differences({ a: { b: [1] } }, undefined)).toEqual([{ path: "a.b", before: "[1]" }]);
  expect(differences("x", undefined)).toEqual([{ path: "", before: "x" }]);
  expect(differences({ a: 1 }, { a: 1 })).toEqual([]);
});

test("a channel's form becomes its entry, and a secret that is left empty is not written", () => {
  const mail = channelOf(form({ host: "smtp.example.org", port: "25", security: "none", from: "Q <q@example.org>", to: "a@x.org, b@x.org", password: "" }), "ops", "mail");
  expect(mail).toEqual({ id: "ops", kind: "mail", host: "smtp.example.org", port: 25, security: "none", from: "Q <q@example.org>", to: ["a@x.org", "b@x.org"] });
  expect(channelOf(form({ url: "http://127.0.0.1:9093", labels: "team=vpn tier=a=b" }), "am", "alertmanager")).toMatchObject({ labels: { team: "vpn", tier: "a=b" } });
});

test("what a form shows of a channel is what is written again, but for its secret", () => {
  const written = { url: "http://x", labels: { team: "vpn" }, password: "never shown" };
  expect(KINDS.alertmanager.map((field) => shown(field, written))).toEqual(["http://x", "team=vpn", "", "", ""]);
});

test("a rule's form leaves out what is empty, and quiet hours need both ends", () => {
  const data = form({ at_least: "warning", servers: "nl-1, nl-2", countries: "", from: "22:00", to: "" });
  data.append("events", "route");
  data.append("events", "server_status");
  expect(ruleOf(data)).toEqual({ events: ["route", "server_status"], at_least: "warning", servers: ["nl-1", "nl-2"] });
  data.set("to", "07:00");
  expect(ruleOf(data).quiet).toEqual({ from: "22:00", to: "07:00", zone: "UTC" });
});

test("a rule is replaced in its place, added at the end, or taken out", () => {
  const rules = [{ routes: ["a"] }, { routes: ["b"] }];
  expect(withRule(rules, 0, { routes: ["c"] })).toEqual([{ routes: ["c"] }, { routes: ["b"] }]);
  expect(withRule(rules, 2, { routes: ["c"] })).toEqual([...rules, { routes: ["c"] }]);
  expect(withRule(rules, 0, undefined)).toEqual([{ routes: ["b"] }]);
});
