// Walking by keyboard as somebody does who has no mouse: one key at a time, and at each step it is seen where one is.

import assert from "node:assert/strict";

import { until } from "./until.js";

/** @typedef {import("playwright-core").Page} Page @typedef {import("playwright-core").Locator} Locator */

/** More steps than these are no way. */
const STEPS_MAX = 120;

/** Whether this has the focus. @param {Locator} wanted */
export const isFocused = async (wanted) => (await wanted.count()) === 1 && wanted.evaluate((element) => element.matches(":focus"));

/**
 * Presses Tab, or Shift and Tab, until this has the focus. On no step may the focus be nowhere, out of sight or without a mark.
 * @param {Page} page @param {Locator} wanted @param {"Tab" | "Shift+Tab"} [key]
 */
export async function tabTo(page, wanted, key = "Tab") {
  await wanted.waitFor();
  for (let steps = 0; steps < STEPS_MAX; steps += 1) {
    if (await isFocused(wanted)) return;
    await page.keyboard.press(key);
    const where = await focus(page);
    assert.ok(where, `the focus is lost after ${steps + 1} times ${key} on the way to ${wanted}`);
    assert.ok(where.seen, `nobody sees that the focus is on ${where.what}, on the way to ${wanted}`);
  }
  assert.fail(`${STEPS_MAX} times ${key} do not lead to ${wanted}`);
}

/** Waits until the focus has come here by itself. @param {Locator} wanted */
export async function focusComes(wanted) {
  await until(`the focus is on ${wanted}`, () => isFocused(wanted));
}

/** Waits until the page has put the focus somewhere in itself after it changed. @param {Page} page */
export async function focusIsKept(page) {
  await until("the focus is somewhere", () => focus(page));
}

/** What has the focus, and whether it can be seen that it has; null if nothing has. @param {Page} page */
function focus(page) {
  return page.evaluate(() => {
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    if (!at || at === document.body) return null;
    const { top, bottom, left, right, width, height } = at.getBoundingClientRect();
    const isInSight = width > 0 && height > 0 && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
    const { outlineStyle, outlineWidth } = getComputedStyle(at);
    // The mesh marks the cell that one stands on.
    const cell = at.querySelector(".cursor:not([hidden])");
    const isMarked = (outlineStyle !== "none" && outlineWidth !== "0px") || (cell !== null && getComputedStyle(cell).boxShadow !== "none");
    return { what: `${at.localName} "${(at.getAttribute("aria-label") ?? at.textContent ?? "").trim().slice(0, 60)}"`, seen: isInSight && isMarked };
  });
}
