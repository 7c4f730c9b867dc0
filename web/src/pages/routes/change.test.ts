import { expect, test } from "vitest";

import { difference } from "./change";

test("who left a route and who came is told apart", () => {
  expect(difference("a/tls, b/tls, c/tls", "a/tls, c/tls, d/tls")).toEqual({ left: ["b/tls"], came: ["d/tls"], reordered: false });
});

test("another order alone is neither coming nor leaving", () => {
  expect(difference("a/tls, b/tls", "b/tls, a/tls")).toEqual({ left: [], came: [], reordered: true });
  expect(difference("a/tls, b/tls", "a/tls, b/tls")).toEqual({ left: [], came: [], reordered: false });
});

test("a route that was or becomes empty has no nameless entry point", () => {
  expect(difference("", "a/tls")).toEqual({ left: [], came: ["a/tls"], reordered: false });
  expect(difference("a/tls", null)).toEqual({ left: ["a/tls"], came: [], reordered: false });
});
