// How the pages look and read: no serious finding of axe-core on any of them, nothing beyond the edge of a narrow screen, and a
// picture of each for people to look at. A border is closed meanwhile, so that there is something to see.

import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { findings } from "./lib/axe.js";
import { house, KEPT } from "./lib/house.js";
import { go, PAGES } from "./lib/pages.js";

const WIDTHS = [390, 1280, 2560];
const scene = house();

scene("a border is closed and found out", async ({ demo }) => {
  demo.raise("border");
  await demo.event({ kind: "server_status", subject: "nl-1", to: "unreachable" });
});

for (const colorScheme of /** @type {const} */ (["dark", "light"])) {
  scene(`nothing keeps anybody out of a page, ${colorScheme}`, async ({ page }) => {
    /** @type {Record<string, string[]>} */
    const found = {};
    for (const [name, fragment] of Object.entries(PAGES)) {
      await go(page, fragment);
      const lines = await findings(page);
      if (lines.length > 0) found[name] = lines;
    }
    assert.deepEqual(found, {});
  }, { profile: { colorScheme } });

  scene(`nobody has to scroll sideways, and a picture is kept of each page, ${colorScheme}`, async ({ page }) => {
    await mkdir(KEPT, { recursive: true });
    /** @type {string[]} */
    const wide = [];
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: width < 600 ? 844 : 1000 });
      for (const [name, fragment] of Object.entries(PAGES)) {
        await go(page, fragment);
        await page.screenshot({ path: join(KEPT, `${name}-${width}-${colorScheme}.png`) });
        const beyond = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        if (beyond > 0) wide.push(`${name} at ${width} px: ${beyond} px too wide`);
      }
    }
    assert.deepEqual(wide, []);
  }, { profile: { colorScheme } });
}

scene("nothing keeps anybody from signing in", async ({ demo, page }) => {
  await page.goto(demo.url);
  await page.getByLabel("Token").waitFor();
  assert.deepEqual(await findings(page), []);
  await page.screenshot({ path: join(KEPT, "sign-in-1280-light.png") });
}, { signedIn: false, profile: { colorScheme: "light" } });
