// Writes the API's types (`src/api/schema.d.ts`) from its description. With an address, the description is fetched from the
// aggregator there and kept first: `npm run api -- http://127.0.0.1:8440`.

import { readFile, writeFile } from "node:fs/promises";

import { generate } from "./generate.mjs";

const description = new URL("../openapi.json", import.meta.url);
const [, , aggregator] = process.argv;
if (aggregator) {
  const answer = await fetch(new URL("/api/v1/openapi.json", aggregator));
  if (!answer.ok) throw new Error(`${aggregator} answers ${answer.status}: is an aggregator there?`);
  await writeFile(description, `${JSON.stringify(await answer.json(), null, 2)}\n`);
}
await writeFile(new URL("../src/api/schema.d.ts", import.meta.url), await generate(await readFile(description, "utf8")));
