// Draining: an admin takes a server out of routes and puts it back, and whoever looks at the routes sees both as they happen. Who
// may only read is offered neither, and is refused in words when he asks all the same.

import assert from "node:assert/strict";

import { Visitor } from "./lib/browser.js";
import { rowOf } from "./lib/fleet.js";
import { house } from "./lib/house.js";
import { go } from "./lib/pages.js";

const scene = house();

/** The list under a heading of a route's page. @param {import("playwright-core").Page} page @param {RegExp} heading */
const listUnder = (page, heading) => page.locator("div").filter({ has: page.getByRole("heading", { level: 3, name: heading }) }).last();

scene("a server is drained and activated again, asked first each time, and the routes show it as it happens", async ({ demo, page, browser }) => {
  const onlooker = await Visitor.come(browser, [new URL(demo.url).origin]);
  await onlooker.signIn(demo.url, demo.token);
  await go(onlooker.page, "#/routes/world");
  const delivered = listUnder(onlooker.page, /^Delivered at this moment/);
  const withheld = listUnder(onlooker.page, /^Withheld/);
  await delivered.getByRole("link", { name: "kz-2/tls" }).waitFor();
  assert.equal(await withheld.getByRole("link", { name: "kz-2/tls" }).count(), 0);

  await go(page, "#/server/kz-2");
  const acts = page.getByRole("group", { name: "What can be done" });
  const dialog = page.getByRole("dialog", { name: "Drain kz-2?" });
  await acts.getByRole("button", { name: "Drain" }).click();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.equal((await demo.ask("api/v1/servers/kz-2")).intent, "active", "whoever cancels has changed nothing");

  await acts.getByRole("button", { name: "Drain" }).click();
  await dialog.getByText("its users stay connected").waitFor();
  await dialog.getByRole("button", { name: "Drain" }).click();
  await dialog.waitFor({ state: "detached" });
  await acts.getByRole("button", { name: "Activate" }).waitFor();
  assert.equal((await demo.ask("api/v1/servers/kz-2")).intent, "drained");
  await withheld.getByRole("link", { name: "kz-2/tls" }).waitFor();
  await withheld.getByText(/drained/i).first().waitFor();
  await delivered.getByRole("link", { name: "kz-2/tls" }).waitFor({ state: "detached" });

  await page.getByRole("link", { name: "Fleet" }).last().click();
  await rowOf(page, "kz-2").getByText("drained", { exact: true }).waitFor();
  await rowOf(page, "kz-2").getByRole("link", { name: "kz-2" }).click();
  await acts.getByRole("button", { name: "Activate" }).click();
  await page.getByRole("dialog", { name: "Activate kz-2?" }).getByRole("button", { name: "Activate" }).click();
  await acts.getByRole("button", { name: "Drain" }).waitFor();
  await delivered.getByRole("link", { name: "kz-2/tls" }).waitFor();
  await withheld.getByRole("link", { name: "kz-2/tls" }).waitFor({ state: "detached" });
  await onlooker.leave();
});

scene("a change that somebody else was quicker with is refused in words, and nothing is lost", async ({ demo, visitor, page }) => {
  await go(page, "#/server/fi-1");
  await page.getByRole("group", { name: "What can be done" }).getByRole("button", { name: "Drain" }).click();
  const { declared, inventory_version } = await demo.ask("api/v1/servers/nl-2");
  const headers = { "if-match": `"inventory-${inventory_version}"` };
  await demo.ask("api/v1/servers/nl-2", { method: "PUT", headers, body: JSON.stringify({ ...declared, site: "ams-9" }) });

  const dialog = page.getByRole("dialog", { name: "Drain fi-1?" });
  await dialog.getByRole("button", { name: "Drain" }).click();
  await dialog.getByRole("alert").getByText("Somebody else changed it meanwhile").waitFor();
  assert.equal((await demo.ask("api/v1/servers/fi-1")).intent, "active");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  visitor.forgive(/409|412/);
});

scene("who may only read is offered no act, and is told so with 403 when he asks all the same", async ({ demo, visitor, page }) => {
  const { token } = await demo.ask("api/v1/tokens", { method: "POST", body: JSON.stringify({ name: "onlooker", scope: "read" }) });
  await visitor.signIn(demo.url, token);
  await go(page, "#/server/fi-1");
  await page.getByRole("heading", { level: 1, name: "fi-1" }).waitFor();
  for (const name of ["Drain", "Disable", "Activate", "Change address"]) {
    assert.equal(await page.getByRole("button", { name }).count(), 0, name);
  }
  await go(page, "#/settings/tokens");
  for (const name of ["Tokens", "Audit"]) assert.equal(await page.getByRole("link", { name }).count(), 0, name);

  const { declared, inventory_version } = await demo.ask("api/v1/servers/fi-1");
  const refused = await page.evaluate(async ({ body, version }) => {
    const headers = { "content-type": "application/json", "x-quorate-request": "1", "if-match": `"inventory-${version}"` };
    const answer = await fetch("api/v1/servers/fi-1", { method: "PUT", headers, body });
    return { status: answer.status, type: answer.headers.get("content-type"), told: (await answer.json()).detail };
  }, { body: JSON.stringify({ ...declared, intent: "drained" }), version: inventory_version });
  assert.equal(refused.status, 403);
  assert.equal(refused.type, "application/problem+json");
  assert.match(refused.told, /admin/);
  visitor.forgive(/403/);
  assert.equal((await demo.ask("api/v1/servers/fi-1")).intent, "active");
}, { signedIn: false });
