// Everything that one looks for when a server turns red, found with the keyboard alone, from signing in to signing out.

import assert from "node:assert/strict";

import { rowOf } from "./lib/fleet.js";
import { house } from "./lib/house.js";
import { focusComes, focusIsKept, tabTo } from "./lib/keys.js";
import { there } from "./lib/pages.js";

const scene = house();

/** A link of the navigation. @param {import("playwright-core").Page} page @param {string} name */
const inNavigation = (page, name) => page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name, exact: true });

scene("the red server, its votes, the routes and a cell of the mesh are found with the keyboard alone", async ({ demo, page }) => {
  demo.raise("border");
  await demo.event({ kind: "server_status", subject: "nl-1", to: "unreachable" });

  await page.goto(demo.url);
  const token = page.getByLabel("Token");
  await focusComes(token);
  await page.keyboard.insertText(demo.token);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "8 servers" }).waitFor();
  await focusIsKept(page);

  await tabTo(page, rowOf(page, "nl-1").getByRole("link", { name: "nl-1" }));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "nl-1" }).waitFor();
  await there(page);
  await focusIsKept(page);
  const votes = page.getByRole("table").filter({ has: page.getByRole("columnheader", { name: "Witness" }) });
  await tabTo(page, votes.getByRole("link", { name: "ru-1" }));

  await tabTo(page, inNavigation(page, "Routes"), "Shift+Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Routes" }).waitFor();
  await there(page);
  await tabTo(page, page.getByRole("link", { name: "nl-1/tls" }).first());

  await tabTo(page, inNavigation(page, "Mesh"), "Shift+Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Mesh" }).waitFor();
  const mesh = page.getByRole("application", { name: "Mesh: who sees whom" });
  await tabTo(page, mesh);
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("n");
  await page.getByText(/^(kz|ru)-\d to nl-1\/(tls|quic): /).first().waitFor({ state: "attached" });
  await page.keyboard.press("Enter");
  const panel = page.getByRole("region", { name: /^(kz|ru)-\d and nl-1\/(tls|quic)$/ });
  await focusComes(panel.getByRole("heading", { level: 2 }));
  await panel.getByText("Cannot see").first().waitFor();
  await tabTo(page, panel.getByRole("link", { name: "All about nl-1" }));
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
  await focusComes(mesh);

  await tabTo(page, page.getByRole("button", { name: "Sign out" }), "Shift+Tab");
  await page.keyboard.press("Enter");
  await focusComes(token);
  assert.equal(await page.getByRole("navigation", { name: "Pages" }).count(), 0);
}, { signedIn: false });
