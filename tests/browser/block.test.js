// A block, from the moment it shows to the votes behind it, and its end: nobody reloads a page on the way.

import assert from "node:assert/strict";

import { countOf, rowOf } from "./lib/fleet.js";
import { house } from "./lib/house.js";

const scene = house();

/** Another document has another one. @param {import("playwright-core").Page} page */
const loadedAt = (page) => page.evaluate(() => performance.timeOrigin);

scene("a block shows on the fleet page as it happens, leads to who says so and what to do, and is seen to heal", async ({ demo, page }) => {
  await page.getByRole("heading", { level: 1, name: "8 servers" }).waitFor();
  await countOf(page, 8, "OK").waitFor();
  const loaded = await loadedAt(page);

  demo.raise("verifier");
  const row = rowOf(page, "nl-2");
  await row.getByText("Blocked", { exact: true }).first().waitFor();
  await row.getByText("fi-1").first().waitFor();
  await countOf(page, 1, "Blocked").waitFor();
  await countOf(page, 7, "OK").waitFor();
  await page.getByRole("status").filter({ hasText: "nl-2: Blocked" }).waitFor({ state: "attached" });
  const first = page.getByRole("rowheader").first();
  assert.match(await first.innerText(), /^nl-2/, "who calls for somebody stands first");

  await row.getByRole("link", { name: "nl-2" }).click();
  await page.getByRole("heading", { level: 1, name: "nl-2" }).waitFor();
  const verdict = page.getByRole("region", { name: "Verdict" });
  await verdict.getByText(/^nl-2 \(NL\) is blocked/i).waitFor();
  await verdict.getByText("1 cannot reach it").waitFor();
  await verdict.getByRole("link", { name: "fi-1" }).waitFor();
  await verdict.getByRole("heading", { name: "What to do" }).waitFor();
  assert.equal(await verdict.getByText("Nothing.", { exact: true }).count(), 0, "there is something to do");
  await verdict.getByRole("button", { name: "Change address" }).waitFor();

  const votes = page.getByRole("table").filter({ has: page.getByRole("columnheader", { name: "Witness" }) });
  const vote = votes.getByRole("row").filter({ has: page.getByRole("rowheader", { name: "fi-1" }) });
  await vote.getByText("Cannot see").first().waitFor();
  await vote.getByText("generic_timeout_error").first().waitFor();
  await vote.getByText(/\d+ failures in a row/).first().waitFor();

  demo.end("verifier");
  await verdict.getByText("Nothing.", { exact: true }).waitFor();
  await vote.getByText("Cannot see").first().waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Fleet" }).last().click();
  await countOf(page, 8, "OK").waitFor();
  assert.equal(await loadedAt(page), loaded, "nobody reloaded");
});

scene("a row that heals does so live, and is said to", async ({ demo, page }) => {
  demo.raise("border");
  await rowOf(page, "nl-1").getByText("Unreachable", { exact: true }).first().waitFor();
  await page.getByRole("status").filter({ hasText: "nl-1: Unreachable" }).waitFor({ state: "attached" });
  const entries = rowOf(page, "nl-1").getByRole("cell").filter({ hasText: "tls" });
  await entries.getByText("Unreachable").first().waitFor({ state: "attached" });

  demo.end("border");
  await rowOf(page, "nl-1").getByText("OK", { exact: true }).first().waitFor();
  await countOf(page, 8, "OK").waitFor();
  await page.getByRole("status").filter({ hasText: "nl-1: OK" }).waitFor({ state: "attached" });
});
