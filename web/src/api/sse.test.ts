import { expect, test } from "vitest";

import { Messages } from "./sse";

test("a message that comes in pieces is one message", () => {
  const messages = new Messages();
  expect(messages.take("id: 7\nevent: rou")).toEqual([]);
  expect(messages.take('te\ndata: {"a":1}\n')).toEqual([]);
  expect(messages.take("\n")).toEqual([{ id: "7", event: "route", data: '{"a":1}' }]);
});

test("a comment says that the feed lives and is no message", () => {
  expect(new Messages().take(": still here\n\n")).toEqual([]);
});

test("several messages in one piece come in their order, and lines of data are joined", () => {
  const got = new Messages().take("data: 1\ndata: 2\n\nid: 9\r\ndata: 3\r\n\r\n");
  expect(got.map(({ id, data }) => [id, data])).toEqual([["", "1\n2"], ["9", "3"]]);
});

test("a message without an id has the last one that was named", () => {
  expect(new Messages().take("id: 4\ndata: a\n\ndata: b\n\n").map(({ id }) => id)).toEqual(["4", "4"]);
});
