// Signing in: from a token to the fleet, and out again.

import assert from "node:assert/strict";

import { house } from "./lib/house.js";

const scene = house();

scene("a wrong token is refused in words, and the right one shows the fleet", async ({ demo, page }) => {
  await page.goto(demo.url);
  await page.getByLabel("Token").fill("qt1.wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").filter({ hasText: "No token like that is known" }).waitFor();

  await page.getByLabel("Token").fill(demo.token);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "8 servers" }).waitFor();
  for (const server of ["de-1", "fi-1", "kz-1", "kz-2", "nl-1", "nl-2", "ru-1", "ru-2"]) {
    await page.getByRole("row", { name: server }).getByText("OK", { exact: true }).first().waitFor();
  }
}, { signedIn: false });

scene("the session is a cookie that no script reads, and outlives a reload", async ({ demo, visitor, page }) => {
  const cookie = (await visitor.profile.cookies()).find(({ name }) => name === "quorate_session");
  assert.ok(cookie, "there is a session cookie");
  assert.deepEqual({ httpOnly: cookie.httpOnly, sameSite: cookie.sameSite }, { httpOnly: true, sameSite: "Strict" });
  const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage, cookie: document.cookie }));
  assert.ok(!kept.includes(demo.token) && !kept.includes(cookie.value), "nothing of it is within a script's reach");

  await page.reload();
  await page.getByRole("heading", { level: 1, name: "8 servers" }).waitFor();

  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Token").waitFor();
  const asked = await page.request.get(new URL("api/v1/fleet", demo.url).href, { headers: { cookie: `quorate_session=${cookie.value}` } });
  assert.equal(asked.status(), 401, "the session has ended for whoever kept the cookie, too");
});

scene("who may only read is offered no acts", async ({ demo, visitor, page }) => {
  const { token } = await demo.ask("api/v1/tokens", { method: "POST", body: JSON.stringify({ name: "reader", scope: "read" }) });
  await visitor.signIn(demo.url, token);
  await page.getByRole("row", { name: "nl-1" }).getByRole("link", { name: "nl-1" }).click();
  await page.getByRole("heading", { level: 1, name: "nl-1" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Drain" }).count(), 0);
}, { signedIn: false });
