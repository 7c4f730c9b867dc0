// Ends the build of `badge.js` where it grew too big: panels load it on every page, for a dot and a word.

import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";

const BYTES_MAX = 20_000;

export function badgeSize(): Plugin {
  return {
    name: "badge-size",
    generateBundle(_, bundle) {
      const files = Object.values(bundle);
      if (files.length !== 1) this.error(`badge.js is to be one file, and became ${files.map(({ fileName }) => fileName).join(", ")}`);
      for (const file of files) {
        const bytes = gzipSync(file.type === "chunk" ? file.code : file.source).length;
        if (bytes > BYTES_MAX) this.error(`${file.fileName} has ${bytes} bytes gzipped, more than ${BYTES_MAX}`);
      }
    },
  };
}
