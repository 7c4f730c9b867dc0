import { expect, test } from "vitest";

import { sorted } from "./sentences";
import { byCountry, hearing, witnesses } from "./witnesses";

const say = (text: string) => ({ text, rules: ["R7"] });
const OWN = ["nl-1/quic", "nl-1/tls"];

test("what to do and what lifts it are found among the sentences, and said once where they are the same", () => {
  const found = sorted(
    [
      say("nl-1 (NL) is unreachable from your servers: 4 of 7 cannot see it."),
      say("nl-1/quic is unreachable in KZ: kz-1 (KZ) cannot reach it."),
      say("What lifts it: a server that reaches it once accuses it no more."),
      say("nl-1/tls is unreachable in RU: ru-1 (RU) cannot reach it."),
      say("What lifts it: a server that reaches it once accuses it no more."),
      say("How the last knocks on nl-1/quic failed: kz-1 by generic_timeout_error."),
      say("nl-1 itself reports that it is well. What to do: look at what stops it on the way."),
    ],
    OWN,
  );
  expect(found.headline).toContain("4 of 7");
  expect(found.advice).toEqual([{ why: "nl-1 itself reports that it is well.", act: "Look at what stops it on the way." }]);
  expect(found.lifts).toEqual([{ of: OWN, text: "A server that reaches it once accuses it no more." }]);
  expect(found.findings.map(({ about, sentences }) => [about, sentences.length])).toEqual([["nl-1/quic", 2], ["nl-1/tls", 1]]);
});

test("what ends silence is told as what lifts it", () => {
  const found = sorted([say("There is no data from nl-1."), say("While it is silent it has no vote. Its next report ends this.")], OWN);
  expect(found.lifts).toEqual([{ of: [], text: "While it is silent it has no vote. Its next report ends this." }]);
});

test("a sentence of a kind nobody foresaw is a finding, and none is lost", () => {
  const found = sorted([say("A."), say("Quite another thing."), say("nl-1/tls-alt is no entry point of this server.")], OWN);
  expect(found.findings).toEqual([{ about: "", sentences: [say("Quite another thing."), say("nl-1/tls-alt is no entry point of this server.")] }]);
});

const vote = (witness: string, entry_point: string, word: string, counts_as = "nothing") => ({
  witness, entry_point, word, counts_as, country: witness.slice(0, 2).toUpperCase(), site: witness, streak: 0,
});

test("who sees one entry point and accuses another one sees a part of the server, and is not against it", () => {
  const list = witnesses([vote("ru-1", "nl-1/tls", "sustained", "accuses"), vote("ru-1", "nl-1/quic", "sees", "vouches")], undefined);
  expect(list.map(({ stand }) => stand)).toEqual(["part"]);
  expect(byCountry(list)).toEqual([{ country: "RU", cannot: 0, sees: 1, nothing: 0 }]);
});

test("one failed knock is a doubt, no accusation; nothing heard is nothing", () => {
  const list = witnesses([vote("ru-1", "nl-1/tls", "failing"), vote("ru-2", "nl-1/tls", "unknown")], undefined);
  expect(list.map(({ stand }) => stand)).toEqual(["doubts", "nothing"]);
});

test("words that have grown old are told from words that never were", () => {
  const old = [vote("ru-1", "nl-1/tls", "unknown"), vote("ru-1", "nl-1/quic", "unknown")];
  expect(hearing(witnesses([], undefined))).toBe("nobody");
  expect(hearing(witnesses(old, undefined))).toBe("earlier");
  expect(hearing(witnesses([...old, vote("ru-2", "nl-1/tls", "failing")], undefined))).toBe("now");
});

test("those who cannot see it stand first, and so does the country where nobody can", () => {
  const list = witnesses(
    [vote("de-1", "nl-1/tls", "sees"), vote("kz-1", "nl-1/tls", "sees"), vote("kz-2", "nl-1/tls", "held", "held"), vote("ru-1", "nl-1/tls", "sustained", "accuses")],
    undefined,
  );
  expect(list.map(({ id }) => id)).toEqual(["kz-2", "ru-1", "de-1", "kz-1"]);
  expect(byCountry(list)).toEqual([
    { country: "RU", cannot: 1, sees: 0, nothing: 0 }, { country: "KZ", cannot: 1, sees: 1, nothing: 0 }, { country: "DE", cannot: 0, sees: 1, nothing: 0 },
  ]);
});

test("how the last knock failed stands beside the vote", () => {
  const cell = { state: "sustained" as const, failure: "tls_handshake: connection_reset" };
  const row = { witness: "ru-1", site: "x", discredited: [], silent: false, cells: [{ state: "sees" as const }, cell] };
  const matrix = { evaluated_at_ms: 1, entry_points: OWN, rows: [row] };
  const [first] = witnesses([vote("ru-1", "nl-1/tls", "sustained", "accuses")], matrix);
  expect(first?.votes.get("nl-1/tls")?.cell).toEqual(cell);
});
