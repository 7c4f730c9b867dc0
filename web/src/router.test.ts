import { expect, test } from "vitest";

import { href, parse } from "./router";

test("a link leads to the place that it names", () => {
  for (const [page, id, query] of [
    ["server", "nl-1", {}],
    ["routes", "eu west/2 %", { country: "RU" }],
    ["fleet", "", { q: "a&b=c", status: "ok" }],
  ] as const) {
    const place = parse(href(page, id, query));
    expect([place.page, place.id, Object.fromEntries(place.query)]).toEqual([page, id, query]);
  }
});

test("an address without a page, or with one that there is not, is the fleet", () => {
  for (const fragment of ["", "#", "#/", "#/nowhere/x", "#fleet"]) expect(parse(fragment).page).toBe("fleet");
});

test("an entry point's id keeps its slash", () => {
  expect(href("server", "nl-1/tls")).toBe("#/server/nl-1/tls");
  expect(parse("#/server/nl-1/tls").id).toBe("nl-1/tls");
});

test("an address that a person cut short is read as it stands", () => {
  expect(parse("#/server/%E0%A4").id).toBe("%E0%A4");
});

test("filters that are empty are not written into the address", () => {
  expect(href("fleet", "", { q: "", status: "" })).toBe("#/fleet");
});
