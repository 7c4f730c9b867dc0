// What a file of scenes shares: one demo and one Chromium, opened before its first scene and closed after its last. A scene that
// fails leaves behind what its page looked like and what the demo said.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { browser, Visitor } from "./browser.js";
import { Demo } from "./demo.js";

/** Where pictures are kept. */
export const KEPT = process.env["QUORATE_KEPT"] ?? join(import.meta.dirname, "../../../target/browser");

/**
 * What a scene has at hand.
 * @typedef {object} Scene
 * @property {Demo} demo
 * @property {Visitor} visitor somebody with a fresh profile
 * @property {import("playwright-core").Page} page the visitor's
 * @property {import("playwright-core").Browser} browser for more visitors
 */

/**
 * How a scene begins.
 * @typedef {object} Setting
 * @property {boolean} [signedIn] false for a visitor who stands before the door
 * @property {string[]} [origins] where the visitor's pages may load from, beside the aggregator
 * @property {import("playwright-core").BrowserContextOptions} [profile]
 */

/** @param {string[]} flags of the demo */
export function house(...flags) {
  /** @type {Demo | undefined} */
  let demo;
  /** @type {import("playwright-core").Browser | undefined} */
  let chromium;

  before(async () => {
    chromium = await browser();
    demo = await Demo.open(...flags);
  });
  after(async () => {
    await Promise.all([demo?.close(), chromium?.close()]);
  });

  /**
   * One scene, named by a true sentence.
   * @param {string} sentence
   * @param {(scene: Scene) => Promise<void>} play
   * @param {Setting} [setting]
   */
  return function scene(sentence, play, { signedIn = true, origins = [], profile = {} } = {}) {
    test(sentence, async () => {
      if (!demo || !chromium) throw new Error("the house did not open: see above");
      const visitor = await Visitor.come(chromium, [new URL(demo.url).origin, ...origins], profile);
      try {
        if (signedIn) await visitor.signIn(demo.url, demo.token);
        await play({ demo, visitor, page: visitor.page, browser: chromium });
      } catch (error) {
        await keep(sentence, visitor, demo);
        throw error;
      }
      await visitor.leave();
    });
  };
}

/** @param {string} sentence @param {Visitor} visitor @param {Demo} demo */
async function keep(sentence, visitor, demo) {
  await mkdir(KEPT, { recursive: true });
  const name = join(KEPT, `failed-${sentence.replaceAll(/\W+/g, "-").slice(0, 80)}`);
  const tree = await visitor.page.locator("body").ariaSnapshot().catch(String);
  await visitor.page.screenshot({ path: `${name}.png` }).catch(() => {});
  await writeFile(`${name}.txt`, [visitor.page.url(), ...visitor.amiss, "", tree, "", demo.said, ...demo.told.map((told) => JSON.stringify(told))].join("\n"));
  await visitor.profile.close().catch(() => {});
  console.log(`what it looked like: ${name}.png and .txt`);
}
