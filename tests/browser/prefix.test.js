// Behind a reverse proxy that serves the aggregator below a prefix: the pages stay below it, and events come as they happen.

import assert from "node:assert/strict";

import { house } from "./lib/house.js";
import { Nginx } from "./lib/nginx.js";
import { go, PAGES } from "./lib/pages.js";

const PREFIX = "/quorate/";
const scene = house();

scene("every page works below a prefix, and asks for nothing beside it", async ({ demo, visitor, page }) => {
  const nginx = await Nginx.before(demo.url, PREFIX);
  try {
    visitor.welcome(nginx.url);
    /** @type {string[]} */
    const asked = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    // Whoever forgets the slash at the end is sent there.
    await visitor.signIn(nginx.url.slice(0, -1), demo.token);
    await page.getByRole("heading", { level: 1, name: "8 servers" }).waitFor();
    for (const fragment of Object.values(PAGES)) await go(page, fragment);
    await page.reload();
    await page.getByRole("navigation").first().waitFor();
    assert.ok(asked.includes(`${PREFIX}api/v1/servers`), "the API was asked below the prefix");
    assert.deepEqual(asked.filter((path) => !path.startsWith(PREFIX) && path !== PREFIX.slice(0, -1)), []);
    // The page goes before the proxy does: what it asks for in vain would be told against it.
    await page.goto("about:blank");
  } finally {
    await nginx.close();
  }
}, { signedIn: false });

scene("events come through the proxy within two seconds", async ({ demo }) => {
  const nginx = await Nginx.before(demo.url, PREFIX);
  const stop = new AbortController();
  try {
    const headers = { authorization: `Bearer ${demo.token}`, accept: "text/event-stream" };
    const answer = await fetch(new URL("api/v1/events?kind=route", nginx.url), { headers, signal: stop.signal });
    const reader = /** @type {ReadableStream<Uint8Array>} */ (answer.body).getReader();
    const more = async () => new TextDecoder().decode((await reader.read()).value ?? assert.fail("the stream ended"));
    // The stream's first word comes at once, though it is far from filling a buffer.
    let told = await more();

    const { declared, inventory_version } = await demo.ask("api/v1/servers/nl-2");
    const changed = { method: "PUT", body: JSON.stringify({ ...declared, intent: "drained" }), headers: { "if-match": `"inventory-${inventory_version}"` } };
    await demo.ask("api/v1/servers/nl-2", changed);
    while (!told.includes("nl-1/tls")) told += await more();
    const arrived_at_ms = Date.now();
    const at_ms = Number(/"at_ms":(\d+)/.exec(told)?.[1]);
    assert.ok(arrived_at_ms - at_ms < 2000, `${arrived_at_ms - at_ms} ms after it happened`);
  } finally {
    stop.abort();
    await nginx.close();
  }
}, { signedIn: false });
