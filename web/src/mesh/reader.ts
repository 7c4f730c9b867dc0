// The page's end of the worker that reads matrices: asks, and gives whole meshes, the same object for the same mesh. A newer
// question ends an older one, which then has no answer: `null`.

import { credentials, home, Refusal, signedOut } from "../api/client";
import type { Mesh } from "./mesh";
import type { Answer, Asked } from "./worker";

export class MatrixReader {
  readonly #worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "matrix" });
  #nth = 0;
  #mesh: Mesh | undefined;
  #waiting: { nth: number; done: (mesh: Mesh | null) => void; failed: (refusal: Refusal) => void } | undefined;

  constructor() {
    this.#worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => this.#came(data));
    this.#worker.addEventListener("error", () => this.#refuse(0, "the matrix cannot be read in this browser"));
  }

  /** The mesh at an address of the API, such as `/api/v1/matrix/packed`. */
  read(path: string): Promise<Mesh | null> {
    this.#waiting?.done(null);
    this.#nth += 1;
    const asked: Asked = { nth: this.#nth, url: `${home()}${path}`, headers: credentials() };
    this.#worker.postMessage(asked);
    return new Promise((done, failed) => (this.#waiting = { nth: asked.nth, done, failed }));
  }

  close(): void {
    this.#waiting?.done(null);
    this.#waiting = undefined;
    this.#worker.terminate();
  }

  #came(answer: Answer): void {
    // What comes late is taken too: the worker counts on the page's having it, and sends what is different from it.
    if (answer.kind === "whole") this.#mesh = answer.mesh;
    if (answer.kind === "cells" && this.#mesh) this.#mesh = { ...this.#mesh, ...answer.cells };
    if (answer.nth !== this.#waiting?.nth) return;
    if (answer.kind === "refused") {
      this.#refuse(answer.status, answer.detail);
      return;
    }
    this.#waiting.done(this.#mesh ?? null);
    this.#waiting = undefined;
  }

  #refuse(status: number, detail: string): void {
    if (status === 401) signedOut.dispatchEvent(new Event("signed-out"));
    this.#waiting?.failed(new Refusal({ type: "urn:quorate:problem:matrix", title: "No matrix", status, detail }));
    this.#waiting = undefined;
  }
}
