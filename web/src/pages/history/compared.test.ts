import { expect, test } from "vitest";
import type { Schemas } from "../../api/client";
import { compared } from "./compared";

const server = (id: string, status: string) =>
  ({ id, status, text: status, since_ms: 5, country: null }) as unknown as Schemas["PastKnown"]["servers"][number];

test("what differs comes first, then what is not well, then by name", () => {
  const known = { servers: [server("nl-10", "ok"), server("nl-9", "ok"), server("de-1", "blocked"), server("fr-1", "ok")] } as Schemas["PastKnown"];
  const said = [{ server: "nl-9", status: "ok", since_ms: 1 }, { server: "fr-1", status: "down", since_ms: 2 }];
  const rows = compared({ known, said, differs: ["fr-1"] });
  expect(rows.map(({ id }) => id)).toEqual(["fr-1", "de-1", "nl-9", "nl-10"]);
  expect(rows[0]).toMatchObject({ known: "ok", said: "down", said_since_ms: 2, differs: true });
});

test("of whom nothing was said has nothing beside it", () => {
  const known = { servers: [server("a", "ok")] } as Schemas["PastKnown"];
  expect(compared({ known, said: [], differs: [] })[0]).toMatchObject({ said: null, said_since_ms: null, differs: false });
});
