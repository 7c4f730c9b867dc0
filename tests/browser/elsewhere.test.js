// Badges in somebody else's panel: a page of another origin, with no session and no token, shows a change within two seconds of
// the verdict by a signed link alone; and a link that does not hold says why.

import assert from "node:assert/strict";
import { after } from "node:test";

import { house } from "./lib/house.js";
import { Panel } from "./lib/panel.js";
import { until } from "./lib/until.js";

/** The promise, from the verdict to the eye. */
const WITHIN_MS = 2_000;

const panel = await Panel.open();
after(() => panel.close());
const scene = house();
const stranger = { signedIn: false, origins: [panel.origin] };

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {{at_ms: number, word: string}} Shown */

scene("a change is in the panel within two seconds of the verdict, to the worse and to the better", async ({ demo, page }) => {
  panel.hang(demo.url, (await link(demo, { server: "nl-1" })).element, (await link(demo, { server: "de-1" })).element);
  await page.goto(panel.origin);
  await badge(page, "nl-1: OK").waitFor();
  await watch(page, "nl-1");

  demo.raise("border");
  const worse = await demo.event({ kind: "server_status", subject: "nl-1", to: "unreachable" });
  await inTime(page, worse, "Unreachable");
  await badge(page, "nl-1: Unreachable").click();
  await page.getByText(/^Unreachable from your servers: \d of \d cannot see it/).waitFor();

  demo.end("border");
  const better = await demo.event({ kind: "server_status", subject: "nl-1", to: "ok" }, worse.id);
  await inTime(page, better, "OK");
  await badge(page, "de-1: OK").waitFor();
}, stranger);

scene("the servers of a route follow it, too", async ({ demo, page }) => {
  const [{ id, feed }] = (await demo.ask("api/v1/routes")).items;
  panel.hang(demo.url, (await link(demo, { route: id })).element);
  await page.goto(panel.origin);
  assert.ok(feed.deliver.length > 0);
}, stranger);

scene("a link that has expired, one that was forged and one of another server each say so", async ({ demo, visitor, page }) => {
  const short = await link(demo, { server: "nl-1", valid_for_s: 1 });
  const good = await link(demo, { server: "nl-2" });
  await until("the short link has ended", () => Date.now() > (short.until_s + 1) * 1000);
  panel.hang(
    demo.url,
    short.element,
    good.element.replace("sig=", "sig=x"),
    good.element.replace('server="nl-2"', 'server="de-1"'),
    good.element.replace(`until=${good.until_s}`, `until=${good.until_s + 1}`),
  );
  await page.goto(panel.origin);

  await badge(page, "nl-1: Link expired").click();
  await page.getByText("The link of this badge has expired: make a new one.").waitFor();
  await page.keyboard.press("Escape");
  await badge(page, "de-1: No access").click();
  await page.getByText("The link or token of this badge gives no access to it.").and(page.locator(":visible")).waitFor();
  await until("both forgeries are refused", async () => (await badge(page, "nl-2: No access").count()) === 2);
  visitor.forgive(/40[13]|410/);
}, stranger);

scene("a link that ends while somebody looks says so, and so does each when all are ended", async ({ demo, visitor, page }) => {
  const short = await link(demo, { server: "nl-1", valid_for_s: 8 });
  panel.hang(demo.url, short.element, (await link(demo, { server: "de-1" })).element);
  await page.goto(panel.origin);
  await badge(page, "nl-1: OK").waitFor();
  await badge(page, "nl-1: Link expired").waitFor();
  assert.ok(Date.now() >= short.until_s * 1000, "not before its time");

  await badge(page, "de-1: OK").waitFor();
  await demo.ask("api/v1/badge-links", { method: "DELETE" });
  await badge(page, "de-1: No access").waitFor();
  visitor.forgive(/40[13]|410/);
}, stranger);

/** @param {import("./lib/demo.js").Demo} demo @param {object} shows */
function link(demo, shows) {
  return demo.ask("api/v1/badge-links", { method: "POST", body: JSON.stringify({ valid_for_s: 3600, ...shows }) });
}

/** @param {Page} page @param {string} name what it is called for whoever hears it */
function badge(page, name) {
  return page.getByRole("button", { name, exact: true });
}

/** From here on the page writes down when the words of this badge change. @param {Page} page @param {string} server */
async function watch(page, server) {
  await page.locator(`quorate-badge[server="${server}"]`).evaluate((/** @type {HTMLElement & {shown?: Shown[]}} */ element) => {
    /** @type {Shown[]} */
    const shown = [];
    element.shown = shown;
    const button = element.shadowRoot?.querySelector("button");
    if (!button) throw new Error("the badge has no button");
    const look = () => {
      const word = button.textContent ?? "";
      if (shown.at(-1)?.word !== word) shown.push({ at_ms: Date.now(), word });
    };
    look();
    new MutationObserver(look).observe(button, { subtree: true, childList: true, characterData: true });
  });
}

/**
 * The badge said it soon enough after the verdict. Page, aggregator and test are told the time by one clock.
 * @param {Page} page
 * @param {import("./lib/demo.js").Told} verdict
 * @param {string} word
 */
async function inTime(page, verdict, word) {
  const { at_ms } = await until(`${verdict.subject} reads ${word}`, async () => {
    const shown = await page.locator(`quorate-badge[server="${verdict.subject}"]`).evaluate((/** @type {HTMLElement & {shown?: Shown[]}} */ element) => element.shown);
    return shown?.findLast((shown) => shown.word === word && shown.at_ms >= verdict.at_ms);
  });
  const took_ms = at_ms - verdict.at_ms;
  console.log(`${verdict.subject} read ${word} ${took_ms} ms after the verdict`);
  assert.ok(took_ms <= WITHIN_MS, `${took_ms} ms from the verdict to the badge`);
}
