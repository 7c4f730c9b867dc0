// Two builds into one folder: the pages (`vite build`), whose files carry a hash in their name and are found relative to the
// page, so that they work behind any path prefix; and the badge (`--mode badge`), one file with a name that panels can write
// down. `npm run dev` asks the aggregator that QUORATE_URL names.

import { defineConfig } from "vitest/config";
import { badgeLabels } from "./scripts/badge-labels.ts";
import { badgeSize } from "./scripts/badge-size.ts";

const aggregator = process.env["QUORATE_URL"] ?? "http://127.0.0.1:8440";
const proxied = Object.fromEntries(["/api", "/badge"].map((path) => [path, { target: aggregator, changeOrigin: false }]));

export default defineConfig(({ mode }) => ({
  base: "./",
  plugins: [badgeLabels(), ...(mode === "badge" ? [badgeSize()] : [])],
  server: { proxy: proxied },
  preview: { proxy: proxied },
  build:
    mode === "badge"
      ? {
          target: "es2022",
          emptyOutDir: false,
          copyPublicDir: false,
          lib: { entry: "src/badge/index.ts", formats: ["es" as const], fileName: () => "badge.js" },
        }
      : { target: "es2022", modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
  test: { include: ["src/**/*.test.ts", "labels/**/*.test.ts"], environment: "node" },
}));
