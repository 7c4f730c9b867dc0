// What the pages cost a browser, against an aggregator with a large fleet (`examples/crowd`): the first load, frames of the mesh
// while it is moved and updated, and the fleet's filter as one types. Prints one line of JSON. Measured in the page, by its own
// clock: a frame is the time between two turns at drawing.
//
// node bench.js load|mesh|filter URL TOKEN

import { browser, Visitor } from "./lib/browser.js";
import { there } from "./lib/pages.js";

const [, , what = "", url = "", token = ""] = process.argv;
/** Frames are watched for this long; the crowd reports all the while, and the mesh asks anew each 5 s. */
const WATCHED_MS = 12_000;
/** What somebody types who looks for a server. */
const TYPED = ["nl-00", "unreachable", "ru site-12", "de"];

/** @param {number[]} values */
function shares(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (/** @type {number} */ share) => Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) * 10) / 10;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** What comes over the wire and how long it takes, with an empty cache. @param {Visitor} visitor */
async function load({ page, profile }) {
  const wire = await profile.newCDPSession(page);
  await wire.send("Network.enable");
  await wire.send("Network.setCacheDisabled", { cacheDisabled: true });
  /** @type {Map<string, string>} */
  const asked = new Map();
  const bytes = { pages: 0, api: 0 };
  wire.on("Network.requestWillBeSent", ({ requestId, request }) => asked.set(requestId, request.url));
  wire.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    bytes[asked.get(requestId)?.includes("/api/") ? "api" : "pages"] += encodedDataLength;
  });
  await page.goto(new URL("#/fleet", url).href);
  await page.reload();
  bytes.pages = bytes.api = 0;
  await page.reload();
  await page.locator("q-fleet-table tbody tr").nth(1).waitFor();
  const ms = await page.evaluate(() => ({ shown: performance.now(), painted: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0 }));
  return { pages_kb: Math.round(bytes.pages / 100) / 10, api_kb: Math.round(bytes.api / 100) / 10, first_paint_ms: Math.round(ms.painted), fleet_shown_ms: Math.round(ms.shown) };
}

/** Frame times while the mesh is dragged, zoomed and updated. @param {Visitor} visitor */
async function mesh({ page }) {
  await page.goto(new URL("#/mesh", url).href);
  await there(page);
  const canvas = page.locator("q-mesh-canvas");
  await canvas.waitFor();
  const box = await canvas.boundingBox();
  if (!box) throw new Error("the mesh has no place on the page");
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.evaluate(() => {
    const frames = /** @type {number[]} */ ([]);
    let last = performance.now();
    const turn = () => {
      const now = performance.now();
      frames.push(now - last);
      last = now;
      requestAnimationFrame(turn);
    };
    requestAnimationFrame(turn);
    Object.assign(window, { frames });
  });
  const until_ms = performance.now() + WATCHED_MS;
  for (let turn = 0; performance.now() < until_ms; turn += 1) {
    await page.mouse.move(x, y);
    for (let step = 0; step < 5; step += 1) await page.mouse.wheel(0, turn % 2 === 0 ? -240 : 240);
    await page.mouse.down();
    await page.mouse.move(x + (turn % 2 === 0 ? -300 : 300), y + (turn % 3 === 0 ? -150 : 150), { steps: 20 });
    await page.mouse.up();
  }
  const frames = await page.evaluate(() => /** @type {{frames: number[]}} */ (/** @type {unknown} */ (window)).frames);
  return { ...shares(frames.slice(1)), over_50_ms: frames.slice(1).filter((ms) => ms > 50).length };
}

/** From a key to the picture that shows its rows. @param {Visitor} visitor */
async function filter({ page }) {
  await page.goto(new URL("#/fleet", url).href);
  await page.locator("q-fleet-table tbody tr").nth(1).waitFor();
  const field = page.getByRole("searchbox");
  await page.evaluate(() => {
    const keys = /** @type {number[]} */ ([]);
    addEventListener("input", () => {
      const began = performance.now();
      // After the next drawing, everything that the key caused is on the screen.
      requestAnimationFrame(() => setTimeout(() => keys.push(performance.now() - began)));
    }, { capture: true });
    Object.assign(window, { keys });
  });
  for (const word of TYPED) {
    await field.fill("");
    await field.pressSequentially(word);
  }
  const keys = await page.evaluate(() => /** @type {{keys: number[]}} */ (/** @type {unknown} */ (window)).keys);
  return shares(keys);
}

const measured = { load, mesh, filter }[what];
if (!measured) throw new Error("node bench.js load|mesh|filter URL TOKEN");
const chromium = await browser();
try {
  const visitor = await Visitor.come(chromium, [new URL(url).origin]);
  await visitor.signIn(url, token);
  console.log(JSON.stringify(await measured(visitor)));
} finally {
  await chromium.close();
}
