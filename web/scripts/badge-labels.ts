// What of the catalogue goes into `badge.js`: it must stay small, and most labels are for the pages.

import { readFileSync } from "node:fs";
import type { Plugin } from "vite";

const NAME = "virtual:badge-labels";
const LANGUAGES = ["en", "es", "ro", "ru"];
const GROUPS = ["badge.", "feed.", "list.", "status."];

export function badgeLabels(): Plugin {
  return {
    name: "badge-labels",
    resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
    load(id) {
      if (id !== `\0${NAME}`) return undefined;
      const picked = LANGUAGES.map((language) => {
        const file = new URL(`../labels/${language}.json`, import.meta.url).pathname;
        this.addWatchFile(file);
        const labels: Record<string, string> = JSON.parse(readFileSync(file, "utf8"));
        const kept = Object.entries(labels).filter(([key]) => GROUPS.some((group) => key.startsWith(group)));
        return [language, Object.fromEntries(kept)];
      });
      return `export default ${JSON.stringify(Object.fromEntries(picked))}`;
    },
  };
}
