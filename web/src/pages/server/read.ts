// What the server's page shows, read together, so that its parts are of about one moment.

import { api, ask, type Schemas } from "../../api/client";
import { type Witness, witnesses } from "./witnesses";

export interface Read {
  readonly detail: Schemas["ServerDetail"];
  readonly witnesses: readonly Witness[];
  /** Where the inventory is declared: `api`, or a file that pages cannot change. */
  readonly source: string;
}

export async function read(id: string): Promise<Read> {
  const path = { id };
  const [detail, votes, matrix, summary] = await Promise.all([
    ask(api.GET("/api/v1/servers/{id}", { params: { path } })),
    ask(api.GET("/api/v1/servers/{id}/votes", { params: { path } })),
    ask(api.GET("/api/v1/matrix", { params: { query: { target: id, limit: 1000 } } })),
    ask(api.GET("/api/v1/fleet")),
  ]);
  return { detail, witnesses: witnesses(votes.votes, matrix), source: summary.inventory_source };
}
