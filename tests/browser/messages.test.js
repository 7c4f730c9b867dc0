// Channels for messages: one is added by hand, its test arrives and says so on the page, and one that is refused says why.

import assert from "node:assert/strict";
import { after } from "node:test";

import { house } from "./lib/house.js";
import { go } from "./lib/pages.js";
import { Hook, Mailbox } from "./lib/sinks.js";

const SECRET = "known to panel and monitor alone";

const [hook, mailbox] = await Promise.all([Hook.open(SECRET), Mailbox.open()]);
after(() => {
  hook.close();
  mailbox.close();
});
const scene = house();

/** @typedef {import("playwright-core").Page} Page */

scene("a webhook is added, its signed test arrives, and the page says what the receiver said", async ({ demo, page }) => {
  await add(page, "Webhook", { Name: "panel", Address: hook.url, "Key of the signature": SECRET });
  await test(page, "panel", "panel took the test.");

  const [taken] = hook.taken;
  assert.equal(hook.taken.length, 1);
  assert.match(taken?.message.data.title, /This is a test of channel 'panel'/);
  assert.match(taken?.delivery ?? "", /^[\da-f]{16,}$/);
  assert.ok(!(await page.content()).includes(SECRET) && !JSON.stringify(await demo.ask("api/v1/notifications/channels")).includes(SECRET), "the key is never shown");
});

scene("a receiver that refuses is quoted, and the same channel is mended by hand", async ({ page }) => {
  await add(page, "Webhook", { Name: "careless", Address: hook.url, "Key of the signature": "a wrong key of enough letters" });
  await test(page, "careless", "careless did not take the test.");
  await page.getByRole("status").getByText(/401/).waitFor();

  await page.getByRole("button", { name: "Change careless" }).click();
  await fill(page, { "Key of the signature": SECRET });
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await test(page, "careless", "careless took the test.");
});

scene("a receiver that is not there is told as that", async ({ page }) => {
  const gone = await Hook.open(SECRET);
  await add(page, "Webhook", { Name: "gone", Address: gone.url });
  gone.close();
  await test(page, "gone", "gone did not take the test.");
  await page.getByRole("status").getByText(/refused|no connection/i).waitFor();
});

scene("a mail channel over a relay on this machine delivers its test", async ({ page }) => {
  await add(page, "Mail", { Name: "ops", "SMTP server": "127.0.0.1", Security: "none: a relay on this machine", Port: String(mailbox.port), From: "Quorate <quorate@example.org>", To: "ops@example.org, night@example.org" });
  await test(page, "ops", "ops took the test.");

  const [mail] = mailbox.mails;
  assert.equal(mailbox.mails.length, 1);
  assert.deepEqual([mail?.from, mail?.to], ["quorate@example.org", ["ops@example.org", "night@example.org"]]);
  assert.match(mail?.text ?? "", /This is a test of channel 'ops'/);
});

scene("a mail server that offers no encryption gets nothing, one that refuses a recipient is quoted", async ({ page }) => {
  const server = { "SMTP server": "127.0.0.1", Port: String(mailbox.port), From: "quorate@example.org" };
  const before = mailbox.mails.length;
  await add(page, "Mail", { Name: "secret", ...server, To: "ops@example.org" });
  await test(page, "secret", "secret did not take the test.");
  await page.getByRole("status").getByText(/offers no STARTTLS: nothing was sent/).waitFor();

  await add(page, "Mail", { Name: "nobody", ...server, Security: "none: a relay on this machine", To: "nobody@example.org" });
  await test(page, "nobody", "nobody did not take the test.");
  await page.getByRole("status").getByText(/550.*nobody lives here/).waitFor();
  assert.equal(mailbox.mails.length, before);
});

scene("a form that cannot be right is refused in words and stays as it was typed", async ({ visitor, page }) => {
  await open(page, "Webhook", { Name: "wrong", Address: "ftp://example.org/" });
  await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
  await page.getByRole("dialog").getByText(/use http:\/\/ or https:\/\//).waitFor();
  assert.equal(await page.getByRole("dialog").getByLabel("Address").inputValue(), "ftp://example.org/");
  await page.getByRole("button", { name: "Cancel" }).click();
  assert.equal(await page.getByRole("row", { name: "wrong" }).count(), 0);
  visitor.forgive(/422/);
});

/** Opens the form of a new channel and fills it in. @param {Page} page @param {string} kind @param {Record<string, string>} fields */
async function open(page, kind, fields) {
  await go(page, "#/settings/channels");
  await page.getByRole("button", { name: `+ ${kind}`, exact: true }).click();
  await page.getByRole("dialog", { name: `New channel: ${kind}` }).waitFor();
  await fill(page, fields);
}

/** @param {Page} page @param {string} kind @param {Record<string, string>} fields */
async function add(page, kind, fields) {
  await open(page, kind, fields);
  await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
  await page.getByRole("row", { name: fields["Name"] ?? "" }).first().waitFor();
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

/** @param {Page} page @param {Record<string, string>} fields by label */
async function fill(page, fields) {
  for (const [label, value] of Object.entries(fields)) {
    const dialog = page.getByRole("dialog");
    if (label === "Security") await dialog.getByRole("combobox").selectOption({ label: value });
    else await dialog.getByLabel(label, { exact: true }).fill(value);
  }
}

/** Sends a test and waits for what the page says of it. @param {Page} page @param {string} channel @param {string} told */
async function test(page, channel, told) {
  await page.getByRole("button", { name: `Send a test ${channel}` }).click();
  await page.getByRole("status").getByText(told).waitFor();
}
