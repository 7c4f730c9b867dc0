// What axe-core finds on a page, as lines for people.

import axe from "axe-core";

/** Findings that keep somebody out. */
const GRAVE = ["serious", "critical"];

/**
 * Serious and critical findings, each with the place and the reason.
 * @param {import("playwright-core").Page} page
 * @returns {Promise<string[]>}
 */
export async function findings(page) {
  // Evaluated by the browser's own tools, which no page's policy forbids.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(async () => {
    const { axe } = /** @type {{axe: import("axe-core")}} */ (/** @type {unknown} */ (window));
    return axe.run(document, { resultTypes: ["violations"] });
  });
  const grave = violations.filter(({ impact }) => GRAVE.includes(impact ?? ""));
  return grave.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${target.flat().join(" ")}: ${failureSummary?.split("\n").slice(1).join(" ").trim()}`),
  );
}
