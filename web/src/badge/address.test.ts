import { expect, test } from "vitest";

import { address, baseOf, evidencePage, type Wanted, type Written } from "./address";

const SCRIPT = "https://watch.example.org/quorate/badge.js?v=3#x";
const PAGE = "https://panel.example.net/admin/servers";

function asked(written: Partial<Written>, wanted: Wanted = { server: "nl-1" }): string | undefined {
  const where = address({ src: null, link: null, token: null, ...written }, wanted, SCRIPT, PAGE);
  return "url" in where ? where.url : `wrong ${where.wrong}`;
}

test("without more the aggregator is asked that the script came from, path prefix and all", () => {
  expect(asked({})).toBe("https://watch.example.org/quorate/api/v1/badges/servers/nl-1");
});

test("`src` names another one, with or without a slash at its end, or relative to the page", () => {
  expect(asked({ src: "https://q.example.org/x" })).toBe("https://q.example.org/x/api/v1/badges/servers/nl-1");
  expect(asked({ src: " https://q.example.org/x/?a=1#b " })).toBe("https://q.example.org/x/api/v1/badges/servers/nl-1");
  expect(asked({ src: "/watch" })).toBe("https://panel.example.net/watch/api/v1/badges/servers/nl-1");
});

test("what is no address of the web is refused", () => {
  for (const src of ["javascript:alert(1)//", "data:text/html,x", "ftp://q.example.org", "https://u:p@q.example.org", "http://"]) {
    expect(asked({ src }), src).toBe("wrong src");
  }
});

test("a signed link is carried as it is, and nothing else that stands in it", () => {
  const url = "https://watch.example.org/quorate/api/v1/badges/servers/nl-1?until=1796023601&sig=a-_9";
  expect(asked({ link: "until=1796023601&sig=a-_9" })).toBe(url);
  expect(asked({ link: "?sig=a-_9&until=1796023601&token=stolen" })).toBe(url);
});

test("a link without a signature, or with no time, is told and not sent", () => {
  for (const link of ["until=1796023601", "sig=abc", "until=soon&sig=abc", "until=-1&sig=abc"]) expect(asked({ link }), link).toBe("wrong link");
});

test("a link goes before a token", () => {
  expect(asked({ token: "qt1.abc" })).toMatch(/\?token=qt1\.abc$/);
  expect(asked({ token: "qt1.abc", link: "until=1&sig=x" })).not.toContain("token");
});

test("no name breaks out of its place in the address", () => {
  expect(asked({}, { server: "../../tokens?x=1&y#z" })).toBe(
    "https://watch.example.org/quorate/api/v1/badges/servers/..%2F..%2Ftokens%3Fx%3D1%26y%23z",
  );
  const route = { route: "e u", subscriber: "u&country=RU", country: "NL", count: null };
  expect(asked({}, route)).toBe("https://watch.example.org/quorate/api/v1/badges/routes/e%20u?subscriber=u%26country%3DRU&country=NL");
});

test("an element that says nothing asks for nothing", () => {
  expect(asked({}, { server: "" })).toBe("wrong server");
  expect(asked({}, { route: "", subscriber: null, country: null, count: null })).toBe("wrong route");
});

test("names that cannot stand in a path are refused", () => {
  expect(asked({}, { server: "\ud800" })).toBe("wrong server");
  expect([".", "..", "%2e%2E"].map((server) => asked({}, { server }))).toEqual(["wrong server", "wrong server", "https://watch.example.org/quorate/api/v1/badges/servers/%252e%252E"]);
});

test("the evidence is a page of the same aggregator", () => {
  expect(evidencePage(baseOf(null, SCRIPT, PAGE) ?? "", "nl 1")).toBe("https://watch.example.org/quorate/#/server/nl%201");
});
