import { expect, test } from "vitest";
import { columnsAxis, groupAt, rowsAxis } from "./layout";
import type { Column, Witness } from "./packed";

function witness(id: string, country: string, site: string): Witness {
  return { witness: id, site, status: "ok", ...(country && { country }) };
}

function column(server: string, name: string): Column {
  return { entry_point: `${server}/${name}`, server, site: "s", lane: "tcp4", state: "clear" };
}

const ROWS = [witness("nl-10", "NL", "s2"), witness("lost", "", "s9"), witness("de-1", "DE", "s1"), witness("nl-9", "NL", "s2"), witness("nl-1", "NL", "s1")];

test("rows stand by country, site and number, those without a country last", () => {
  const axis = rowsAxis(ROWS);
  expect(axis.names).toEqual(["de-1", "nl-1", "nl-9", "nl-10", "lost"]);
  expect([...axis.source]).toEqual([2, 4, 3, 0, 1]);
  expect(axis.countries).toMatchObject([{ name: "DE", from: 0, to: 1 }, { name: "NL", from: 1, to: 4 }, { name: "", from: 4, to: 5 }]);
});

test("a site of the same name in another country is another group", () => {
  expect(rowsAxis(ROWS).sites.map(({ name, from, to }) => [name, from, to])).toEqual([["s1", 0, 1], ["s1", 1, 2], ["s2", 2, 4], ["s9", 4, 5]]);
});

test("a break tells the widest group that begins at it", () => {
  expect([...rowsAxis(ROWS).breaks]).toEqual([3, 3, 2, 1, 3]);
});

test("a server's entry points stand side by side in one group", () => {
  const axis = columnsAxis([column("b", "tls"), column("a", "tls"), column("b", "quic"), column("a", "quic")]);
  expect(axis.names).toEqual(["a/quic", "a/tls", "b/quic", "b/tls"]);
  expect(axis.servers.map(({ name, from, to }) => [name, from, to])).toEqual([["a", 0, 2], ["b", 2, 4]]);
});

test("each place is found in its group", () => {
  const { countries, count } = rowsAxis(ROWS);
  const found = Array.from({ length: count }, (_, place) => groupAt(countries, place)?.name);
  expect(found).toEqual(["DE", "NL", "NL", "NL", ""]);
  expect(groupAt(countries, count)).toBeUndefined();
});
