import { expect, test } from "vitest";
import { changes, type Effective, FIELDS, inWords, shown, tried, typedOf, valueOf, wrong } from "./fields";

const IN_FORCE: Effective = {
  interval_ms: 60_000, stale_after_ms: 180_000, sustain_rounds: 3, sustain_for_ms: 90_000, witness_floor: 0.5,
  quorum: 2, quorum_share: 0.5, half_blind_share: 0.25, hold_for_ms: 900_000,
};

test("what is shown is what is typed: a field left as it is changes nothing", () => {
  const typed = Object.fromEntries(FIELDS.map((field) => [field.name, shown(field, IN_FORCE[field.name])]));
  expect(changes(IN_FORCE, typed)).toEqual([]);
  expect(changes(IN_FORCE, {})).toEqual([]);
});

test("only what differs is tried, spans in milliseconds", () => {
  const changed = changes(IN_FORCE, { quorum: "3", hold_for_ms: "600", quorum_share: "0.5" });
  expect(tried(changed)).toEqual({ quorum: 3, hold_for_ms: 600_000 });
  expect(inWords(changed)).toBe("quorum 2 → 3, hold_for 900 s → 600 s");
});

test("what is no number, or too small a one, is wrong and changes nothing", () => {
  expect(wrong({ quorum: "1", sustain_rounds: "many", witness_floor: "", hold_for_ms: "60" })).toEqual(["quorum", "sustain_rounds", "witness_floor"]);
  expect(changes(IN_FORCE, { quorum: "1" })).toEqual([]);
});

test("a comma is a point", () => {
  const share = FIELDS.find(({ name }) => name === "quorum_share");
  expect(share && valueOf(share, "0,6")).toBe(0.6);
});

test("what was tried can be typed again", () => {
  const changed = changes(IN_FORCE, { quorum: "4", sustain_for_ms: "30" });
  expect(changes(IN_FORCE, typedOf(tried(changed)))).toEqual(changed);
});
