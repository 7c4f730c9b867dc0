// The archive by hand: a trouble that is over is gone back to by keyboard and by pointer, and another quorum is tried on it.

import assert from "node:assert/strict";

import { house } from "./lib/house.js";
import { go } from "./lib/pages.js";
import { until } from "./lib/until.js";

/** @typedef {import("playwright-core").Page} Page */

const scene = house();
/** So long that the slider can be dragged into its midst. */
const LASTS_MS = 8000;
/** When nl-1 was unreachable, Unix milliseconds; while it heals it is other things before it is well. */
let from_ms = 0;
let to_ms = 0;

scene("a border is closed, found out and opened again", async ({ demo }) => {
  demo.raise("border");
  const began = await demo.event({ kind: "server_status", subject: "nl-1", to: "unreachable" });
  await until("the trouble has lasted some rounds", async () => (await demo.ask("api/v1/fleet")).evaluated_at_ms >= began.at_ms + LASTS_MS);
  demo.end("border");
  const over = await demo.event({ kind: "server_status", subject: "nl-1", from: "unreachable" }, began.id);
  await demo.event({ kind: "server_status", subject: "nl-1", to: "ok" }, began.id);
  [from_ms, to_ms] = [began.at_ms, over.at_ms];
});

scene("the keyboard leads back to the moment, where it is as it was known and said", async ({ page }) => {
  await go(page, "#/history");
  const slider = page.getByRole("slider", { name: "Moment" });
  const now = await slider.inputValue();
  await row(page, "nl-1").getByText("OK", { exact: true }).first().waitFor();

  const before = page.getByRole("button", { name: "Event before" });
  await before.focus();
  await until("the keyboard stands on the verdict", async () => {
    if (await stands(slider, from_ms)) return true;
    await page.keyboard.press("Enter");
    return stands(slider, from_ms);
  });
  await asItWas(page);
  assert.equal(new URL(page.url()).hash, `#/history?at=${from_ms}`, "the moment can be handed on");

  await slider.focus();
  await page.keyboard.press("End");
  await until("the slider is at its end", async () => Number(await slider.inputValue()) >= Number(now));
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Home");
  await until("the slider is at its beginning", async () => (await slider.inputValue()) === (await slider.getAttribute("min")));
  await until("nl-1 is not unreachable yet", async () => (await row(page, "nl-1").getByText("Unreachable", { exact: true }).count()) === 0);
});

scene("the pointer drags the slider to the moment", async ({ page }) => {
  await go(page, "#/history");
  const slider = page.getByRole("slider", { name: "Moment" });
  await slider.scrollIntoViewIfNeeded();
  const at = await slider.evaluate((/** @type {HTMLInputElement} */ { min, max }, wanted) => (wanted - Number(min)) / (Number(max) - Number(min)), (from_ms + to_ms) / 2);
  const box = await slider.boundingBox();
  assert.ok(box);
  const thumb = 9;
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width - thumb, y);
  await page.mouse.down();
  await page.mouse.move(box.x + thumb + at * (box.width - 2 * thumb), y, { steps: 12 });
  await page.mouse.up();
  await until("the slider stands within the trouble", async () => {
    const stood_ms = Number(await slider.inputValue());
    return stood_ms >= from_ms && stood_ms <= to_ms;
  });
  await asItWas(page);
});

scene("an address that was handed on opens the same moment, and why is told", async ({ page }) => {
  await go(page, `#/history?at=${from_ms}`);
  await asItWas(page);
  await page.getByRole("button", { name: "Why: nl-1" }).click();
  await page.getByRole("listitem").filter({ hasText: /nl-1.*(cannot see|unreachable)/i }).first().waitFor();
});

scene("another quorum is tried on these hours and says what would have been different", async ({ page }) => {
  await go(page, "#/history");
  await page.getByRole("link", { name: "Try another policy on these hours" }).click();
  await page.getByRole("heading", { level: 1, name: "Back-test" }).waitFor();
  await page.getByText("Nothing is changed", { exact: false }).or(page.getByRole("button", { name: "Run the back-test" })).first().waitFor();
  assert.ok(await page.getByRole("button", { name: "Run the back-test" }).isDisabled(), "nothing to try yet");

  await page.getByLabel("Sites needed for a verdict").fill("7");
  await page.getByRole("button", { name: "Run the back-test" }).click();
  await page.getByRole("heading", { name: "What would have been" }).waitFor();
  const sentences = page.getByRole("main").getByRole("listitem");
  await sentences.filter({ hasText: "nl-1" }).first().waitFor();
  console.log((await sentences.allInnerTexts()).join("\n"));
  await page.getByRole("row", { name: /^nl-1/ }).first().waitFor();
  await page.getByRole("button", { name: /Adopt|policy/i }).first().waitFor();
});

/** What is said of a server at the moment. @param {Page} page @param {string} server */
function row(page, server) {
  return page.getByRole("row", { name: new RegExp(`^${server}\\b`) }).first();
}

/** @param {import("playwright-core").Locator} slider @param {number} at_ms */
async function stands(slider, at_ms) {
  return Math.abs(Number(await slider.inputValue()) - at_ms) <= 1000;
}

/** Both known and said: nl-1 was unreachable and fi-1 was well. @param {Page} page */
async function asItWas(page) {
  await until("nl-1 is unreachable, as known and as said", async () => (await row(page, "nl-1").getByText("Unreachable", { exact: true }).count()) === 2);
  assert.equal(await row(page, "fi-1").getByText("OK", { exact: true }).count(), 2);
}
