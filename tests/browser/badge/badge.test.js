// The badge in a panel of another origin: what it shows, how it is reached by hand, eye and ear, and what it leaves behind.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";

import { Double, unreachable, view } from "./double.js";
import { badge, openBrowser, Panel, servers } from "./panel.js";

let browser;
let double;
let panel;

before(async () => {
  browser = await openBrowser();
});
after(() => browser.close());
beforeEach(async () => {
  double = await Double.start();
});
afterEach(async () => {
  await panel?.close();
  panel = undefined;
  double.stop();
});

async function show(body, options) {
  panel = await Panel.show(browser, double, body, options);
  return panel.page;
}

/** Waits until `found` gives what is expected. */
async function becomes(found, expected, within_ms = 5_000) {
  const until = Date.now() + within_ms;
  while (Date.now() < until && (await found()) !== expected) await new Promise((tried) => setTimeout(tried, 25));
  assert.equal(await found(), expected);
}

const openReasons = () => panel.reason.count();
const focused = (page) => page.locator("quorate-badge").first().evaluate((host) => host.shadowRoot.activeElement?.localName);

describe("what it shows", () => {
  test("its server, under a strict policy, and a change within 2 s", async () => {
    double.say(view("nl-1", "ok"));
    await show(badge("nl-1"));
    await panel.reads("nl-1", "OK");
    double.say(unreachable("nl-1"));
    await panel.reads("nl-1", "Unreachable", { within_ms: 2_000 });
    assert.deepEqual(panel.complaints, []);
  });

  test("forty servers with few streams, so that the panel's own requests find a connection", async () => {
    const ids = Array.from({ length: 40 }, (_, index) => `s-${index}`);
    for (const id of ids) double.say(view(id, "down"));
    await show(ids.map((id) => badge(id)).join(""));
    for (const id of ids) await panel.reads(id, "Down");
    assert.equal(double.readers, 4);
  });

  test("a user's servers in the route's order, each with its reason", async () => {
    double.sayRoute("eu", [unreachable("nl-1"), view("de-1", "ok")]);
    const page = await show(servers("eu", 'subscriber="u42"'));
    await page.locator("quorate-servers .id", { hasText: "de-1" }).waitFor();
    assert.deepEqual(await page.locator("quorate-servers .id").allInnerTexts(), ["nl-1 NL", "de-1 NL"]);
    assert.match(await page.locator("quorate-servers li").first().innerText(), /3 of 7 cannot see it \(RU 3\/3\), since /);
  });

  test("nothing as markup, whatever a name, a text or a reason says", async () => {
    const evil = `<img src=x onerror="window.hit=1"><script>window.hit=1</script>`;
    const said = { country: evil, text: evil, label: null, reason: evil };
    double.say(view("nl-1", "down", said));
    double.sayRoute("eu", [view(evil, "down", said)]);
    const page = await show(badge("nl-1") + servers("eu") + badge("&quot;&gt;&lt;img src=x onerror=window.hit=1&gt;"));
    await panel.reads("nl-1", "Down");
    await page.locator("quorate-servers .word", { hasText: "Down" }).waitFor();
    await panel.word("nl-1").hover();
    await panel.reason.waitFor();
    const made = (hosts) => hosts.some((host) => host.shadowRoot.querySelector("img, script"));
    assert.equal(await page.locator("quorate-badge, quorate-servers").evaluateAll(made), false);
    assert.equal(await page.evaluate(() => window.hit), undefined);
    assert.deepEqual(panel.complaints, []);
  });

  test("refusals in words, each its own", async () => {
    double.refuse("closed", 403);
    double.refuse("late", 410);
    const page = await show(`${badge("closed")}${badge("nowhere")}${badge("late")}
      <quorate-badge server="torn" link="sig"></quorate-badge><quorate-badge id="bare"></quorate-badge>`);
    await panel.reads("closed", "No access");
    await panel.reads("nowhere", "Unknown");
    await panel.reads("late", "Link expired");
    await panel.reads("torn", "Not set up");
    await page.locator("#bare .word", { hasText: "Not set up" }).waitFor();
  });

  test("the language of its own lang, of an ancestor, of the page, and of the page when that changes", async () => {
    double.say(unreachable("nl-1"));
    const page = await show(`${badge("nl-1")}<div lang="es-MX">${badge("nl-1")}</div>${badge("nl-1", 'lang="ro"')}`, { lang: "ru" });
    await panel.reads("nl-1", "Недоступен");
    await panel.reads("nl-1", "Inaccesible", { nth: 1 });
    await panel.reads("nl-1", "Inaccesibil", { nth: 2 });
    await page.evaluate(() => document.documentElement.setAttribute("lang", "en"));
    await panel.reads("nl-1", "Unreachable");
    await panel.reads("nl-1", "Inaccesible", { nth: 1 });
  });

  test("the colours for dark where the ink around is light, and where it is told", async () => {
    double.say(view("nl-1", "ok"));
    const page = await show(badge("nl-1") + badge("nl-1", "theme=dark"));
    await panel.reads("nl-1", "OK");
    const dark = (nth) => () => page.locator("quorate-badge").nth(nth).evaluate((host) => host.shadowRoot.querySelector("#root").className);
    assert.deepEqual([await dark(0)(), await dark(1)()], ["", "dark"]);
    await page.evaluate(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync("html.night { background: #111; color: oklch(0.93 0.01 250) }");
      document.adoptedStyleSheets = [sheet];
      document.documentElement.classList.add("night");
    });
    await becomes(dark(0), "dark");
  });
});

describe("how the reason is reached", () => {
  beforeEach(() => double.say(unreachable("nl-1")));

  test("focus opens it, Escape closes it and leaves the focus, Enter opens it again", async () => {
    const page = await show(`${badge("nl-1")}<button id="next">next</button>`);
    await panel.reads("nl-1", "Unreachable");
    await page.keyboard.press("Tab");
    await panel.reason.waitFor();
    assert.match(await panel.reason.innerText(), /Unreachable from your servers: 3 of 7 cannot see it \(RU 3\/3\), since /);
    await page.keyboard.press("Escape");
    assert.deepEqual([await openReasons(), await focused(page)], [0, "button"]);
    await page.keyboard.press("Enter");
    assert.equal(await openReasons(), 1);
    await page.keyboard.press("Enter");
    assert.equal(await openReasons(), 0);
    await page.keyboard.press("Space");
    assert.equal(await openReasons(), 1);
    await page.keyboard.press("Tab");
    assert.deepEqual([await openReasons(), await page.evaluate(() => document.activeElement.id)], [0, "next"]);
  });

  test("a screen reader hears server, state and reason", async () => {
    const page = await show(badge("nl-1"));
    await panel.reads("nl-1", "Unreachable");
    assert.match(await page.locator("quorate-badge").ariaSnapshot(), /button "nl-1: Unreachable"/);
    const described = await page.locator("quorate-badge").evaluate(({ shadowRoot }) => {
      const button = shadowRoot.querySelector("button");
      return shadowRoot.getElementById(button.getAttribute("aria-describedby")).textContent;
    });
    assert.match(described, /3 of 7 cannot see it/);
  });

  test("with evidence it has a link that Tab reaches, and Escape comes back from it", async () => {
    const page = await show(badge("nl-1", "evidence"));
    await panel.reads("nl-1", "Unreachable");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    assert.deepEqual([await focused(page), await openReasons()], ["a", 1]);
    assert.equal(await panel.reason.getByRole("link").getAttribute("href"), `${double.base}#/server/nl-1`);
    await page.keyboard.press("Escape");
    assert.deepEqual([await focused(page), await openReasons()], ["button", 0]);
  });

  test("a pointer opens it, may go over to it, and closes it by leaving", async () => {
    const page = await show(badge("nl-1"));
    await panel.reads("nl-1", "Unreachable");
    await panel.word("nl-1").hover();
    await panel.reason.waitFor();
    const { x, y, height } = await panel.reason.boundingBox();
    await page.mouse.move(x + 20, y + height / 2, { steps: 5 });
    // Longer than it takes to close: that nothing happens has no moment to wait for.
    await page.waitForTimeout(400);
    assert.equal(await openReasons(), 1);
    await page.mouse.move(700, 500);
    await becomes(openReasons, 0);
  });

  test("a tap opens it within the window, a tap elsewhere closes it", async () => {
    const page = await show(badge("nl-1"), { hasTouch: true, viewport: { width: 390, height: 700 } });
    await panel.reads("nl-1", "Unreachable");
    await panel.word("nl-1").tap();
    await panel.reason.waitFor();
    const { x, width } = await panel.reason.boundingBox();
    assert.ok(x >= 0 && x + width <= 390, `from ${x} to ${x + width}`);
    await page.touchscreen.tap(200, 600);
    await becomes(openReasons, 0);
  });

  test("one is open at a time", async () => {
    double.say(view("de-1", "ok"));
    await show(badge("nl-1") + badge("de-1"));
    await panel.reads("de-1", "OK");
    await panel.word("nl-1").click();
    await panel.word("de-1").hover();
    await panel.reason.filter({ hasText: "de-1" }).waitFor();
    assert.equal(await openReasons(), 1);
  });

  test("no table that scrolls cuts it off", async () => {
    const page = await show(`<div id="box">${badge("nl-1")}</div>`);
    await page.evaluate(() => Object.assign(document.querySelector("#box").style, { overflow: "hidden", height: "30px", width: "60px" }));
    await panel.reads("nl-1", "Unreachable");
    await panel.word("nl-1").click();
    const onTop = await page.locator("quorate-badge").evaluate(({ shadowRoot }) => {
      const { left, top, width, height } = shadowRoot.querySelector("#tip").getBoundingClientRect();
      return width > 200 && Boolean(shadowRoot.elementFromPoint(left + width / 2, top + height - 6)?.closest("#tip"));
    });
    assert.ok(onTop);
  });

  test("axe finds nothing, the reason open or not", async () => {
    double.sayRoute("eu", [view("a", "ok"), unreachable("b")]);
    // axe itself is a script of another origin than the policy names.
    const page = await show(badge("nl-1") + badge("nl-1", "evidence") + servers("eu"), { bypassCSP: true });
    await panel.reads("nl-1", "Unreachable", { nth: 1 });
    await page.locator("quorate-servers .id", { hasText: "b" }).waitFor();
    await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
    const found = async () => {
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
    };
    assert.deepEqual(await found(), []);
    await panel.word("nl-1", 1).click();
    assert.deepEqual(await found(), []);
  });
});

describe("what it does when its feed fails", () => {
  test("news that grew old are grey, with the last word and its age; new ones end that", async () => {
    double.say(view("nl-1", "ok", { fresh_for_ms: 2_000 }));
    const page = await show(badge("nl-1"));
    await panel.reads("nl-1", "OK");
    double.streams = double.answers = false;
    await panel.reads("nl-1", /^OK \(\d sec\. ago\)$/);
    assert.equal(await page.locator("quorate-badge").evaluate(({ shadowRoot }) => shadowRoot.querySelector("button").className), "old");
    await panel.word("nl-1").click();
    assert.match(await panel.reason.innerText(), /No news for \d sec: this is the last known state\./);
    double.streams = true;
    double.say(view("nl-1", "ok"));
    await panel.reads("nl-1", /^OK$/);
  });

  test("a stream that is held back is asked around", async () => {
    double.streams = false;
    double.say(view("nl-1", "ok"));
    await show(badge("nl-1"));
    await panel.reads("nl-1", "OK", { within_ms: 15_000 });
  });

  test("an aggregator that was gone for a moment is heard again", async () => {
    double.say(view("nl-1", "ok"));
    await show(badge("nl-1"));
    await panel.reads("nl-1", "OK");
    double.streams = false;
    double.say(view("nl-1", "down"));
    double.streams = true;
    double.cut();
    await panel.reads("nl-1", "Down");
  });
});

describe("what it leaves behind", () => {
  const streams = () => double.readers;

  test("nothing, when its attribute changes, when it moves, and when it goes", async () => {
    double.say(view("nl-1", "ok"));
    double.say(view("de-1", "down"));
    const page = await show(badge("nl-1"));
    await panel.reads("nl-1", "OK");
    await page.evaluate(() => document.querySelector("quorate-badge").setAttribute("server", "de-1"));
    await panel.reads("de-1", "Down");
    await becomes(streams, 1);
    await page.evaluate(() => document.body.append(document.querySelector("quorate-badge")));
    await panel.reads("de-1", "Down");
    assert.equal(streams(), 1);
    await page.evaluate(() => document.querySelector("quorate-badge").remove());
    await becomes(streams, 0);
  });

  test("no stream while nobody looks, and the state at once when somebody does", async () => {
    double.say(view("nl-1", "ok"));
    const page = await show(badge("nl-1"));
    await panel.reads("nl-1", "OK");
    const look = (state) =>
      page.evaluate((visibility) => {
        Object.defineProperty(document, "visibilityState", { value: visibility, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      }, state);
    await look("hidden");
    await becomes(streams, 0);
    double.say(view("nl-1", "down"));
    await look("visible");
    await panel.reads("nl-1", "Down", { within_ms: 2_000 });
  });
});
