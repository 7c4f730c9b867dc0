import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

// @ts-expect-error A script without types.
import { generate } from "../../scripts/generate.mjs";

const at = (path: string) => new URL(path, import.meta.url);

test("the client's types are those of the API's description: else run `npm run api`", async () => {
  const description = await readFile(at("../../openapi.json"), "utf8");
  expect(await readFile(at("./schema.d.ts"), "utf8")).toBe(await generate(description));
});
