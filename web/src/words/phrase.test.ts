import { expect, test } from "vitest";
import { Phrases } from "./phrase";

const russian = new Phrases("ru", {
  "x.servers.one": "{n} сервер",
  "x.servers.few": "{n} сервера",
  "x.servers.many": "{n} серверов",
  "x.servers.other": "{n} сервера",
  "x.of": "{name}: {n} из {all}",
});

test("a number chooses the form of its language", () => {
  const said = [1, 2, 5, 11, 21, 22].map((n) => russian.say("x.servers", { n }));
  expect(said).toEqual(["1 сервер", "2 сервера", "5 серверов", "11 серверов", "21 сервер", "22 сервера"]);
});

test("numbers are written as the language does", () => {
  expect(russian.say("x.servers", { n: 12345 })).toBe("12\u00a0345 серверов");
  expect(new Phrases("en", { a: "{n}" }).say("a", { n: 12345 })).toBe("12,345");
});

test("a label without forms takes a number like any value", () => {
  expect(russian.say("x.of", { name: "nl-1", n: 3, all: 7 })).toBe("nl-1: 3 из 7");
});

test("a value is put in as it is, and never read as a template", () => {
  expect(russian.say("x.of", { name: "{all} $& <b>", n: 1, all: 2 })).toBe("{all} $& <b>: 1 из 2");
});

test("a key that is not there is shown, and so is a placeholder without a value", () => {
  expect(russian.say("x.nothing")).toBe("x.nothing");
  expect(russian.say("x.of", { n: 1 })).toBe("{name}: 1 из {all}");
});

test("a family is had as well as a single label", () => {
  expect([russian.has("x.servers"), russian.has("x.of"), russian.has("x")]).toEqual([true, true, false]);
});
