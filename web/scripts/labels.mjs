// Puts the keys of the catalogue in order, which is the alphabet's: `npm run labels`, after adding some.

import { readFileSync, writeFileSync } from "node:fs";

for (const language of ["en", "es", "ro", "ru"]) {
  const file = new URL(`../labels/${language}.json`, import.meta.url);
  const labels = Object.entries(JSON.parse(readFileSync(file, "utf8")));
  const sorted = labels.sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}
