// The pages that there are, by their address, and when one of them is all there.

import { until } from "./until.js";

/** By a name for pictures. */
export const PAGES = {
  fleet: "#/fleet",
  mesh: "#/mesh",
  server: "#/server/nl-1",
  routes: "#/routes",
  edges: "#/edges",
  history: "#/history",
  backtest: "#/backtest",
  servers: "#/settings/servers",
  route: "#/settings/routes",
  policy: "#/settings/policy",
  channels: "#/settings/channels",
  rules: "#/settings/rules",
  deliveries: "#/settings/deliveries",
  badges: "#/settings/badges",
  tokens: "#/settings/tokens",
  audit: "#/settings/audit",
};

/** Goes to a page as a link would. @param {import("playwright-core").Page} page @param {string} fragment */
export async function go(page, fragment) {
  await page.evaluate((fragment) => (location.hash = fragment), fragment);
  await there(page);
}

/** Waits until the page says what it is about and waits for nothing more. @param {import("playwright-core").Page} page */
export async function there(page) {
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await until("nothing is waited for", async () => (await page.getByText(/^Asking/).count()) === 0);
}
