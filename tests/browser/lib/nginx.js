// A real nginx before the aggregator, which hands on what lies below a prefix, as in docs/api.md, and nothing else.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { until } from "./until.js";

const PROGRAM = "/usr/sbin/nginx";

export class Nginx {
  /** @param {string} url @param {string} folder @param {import("node:child_process").ChildProcess} child */
  constructor(url, folder, child) {
    this.url = url;
    this.folder = folder;
    this.child = child;
  }

  /** Below `prefix`, which begins and ends with a slash. @param {string} aggregator its address @param {string} prefix */
  static async before(aggregator, prefix) {
    const folder = await mkdtemp(join(tmpdir(), "quorate-nginx-"));
    const port = await freePort();
    await writeFile(join(folder, "nginx.conf"), configuration(folder, port, aggregator, prefix));
    const child = spawn(PROGRAM, ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", "stderr"], { stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.on("data", (chunk) => (said += chunk));
    const nginx = new Nginx(`http://127.0.0.1:${port}${prefix}`, folder, child);
    await until("nginx answers", async () => {
      if (child.exitCode !== null) throw new Error(said);
      return (await fetch(nginx.url)).ok;
    });
    return nginx;
  }

  async close() {
    this.child.kill("SIGTERM");
    if (this.child.exitCode === null) await once(this.child, "exit");
    await rm(this.folder, { recursive: true });
  }
}

/** @param {string} folder @param {number} port @param {string} aggregator @param {string} prefix */
function configuration(folder, port, aggregator, prefix) {
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((what) => `${what}_temp_path ${join(folder, what)};`);
  return `daemon off; pid ${join(folder, "pid")}; worker_processes 1;
events {}
http {
  access_log off; ${places.join(" ")}
  server {
    listen 127.0.0.1:${port};
    location ${prefix} {
      proxy_pass ${aggregator};
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
    }
  }
}
`;
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  await once(server, "close");
  return port;
}
