// Fetches, checks and orders the matrix beside the page's own thread: a megabyte and a million cells are put in order here,
// and the page gets typed arrays without a copy. Where only cells changed, only cells are sent.

import { type Mesh, meshOf } from "./mesh";
import { join, type Packed, unpack } from "./packed";

export interface Asked {
  /** Numbers questions, so that an answer finds its own. */
  readonly nth: number;
  /** The address of the first page, without `after`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type Answer =
  | { readonly nth: number; readonly kind: "same" }
  | { readonly nth: number; readonly kind: "cells"; readonly cells: Pick<Mesh, "evaluated_at_ms" | "cells" | "looks" | "counts"> }
  | { readonly nth: number; readonly kind: "whole"; readonly mesh: Mesh }
  | { readonly nth: number; readonly kind: "refused"; readonly status: number; readonly detail: string };

/** More than this is no picture any more, and more memory than a page should take. */
const CELLS_MAX = 32_000_000;

interface Kept {
  readonly url: string;
  readonly tags: readonly string[];
  readonly shape: string;
}

let kept: Kept = { url: "", tags: [], shape: "" };
let asking: AbortController | undefined;

class Refused extends Error {
  readonly status: number;

  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

self.addEventListener("message", async ({ data }: MessageEvent<Asked>): Promise<void> => {
  asking?.abort();
  asking = new AbortController();
  try {
    const answer = await answered(data, asking.signal);
    const moved = answer.kind === "whole" ? answer.mesh : answer.kind === "cells" ? answer.cells : undefined;
    self.postMessage(answer, { transfer: moved ? [moved.cells.buffer, moved.looks.buffer] : [] });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return;
    const status = error instanceof Refused ? error.status : 0;
    self.postMessage({ nth: data.nth, kind: "refused", status, detail: error instanceof Error ? error.message : String(error) });
  }
});

async function answered({ nth, url, headers }: Asked, signal: AbortSignal): Promise<Answer> {
  const pages: Packed[] = [];
  const tags: string[] = [];
  const before = kept.url === url ? kept.tags : [];
  let after: string | undefined;
  let cells = 0;
  do {
    // One page: the tag tells whether it is the same. Several: their tags do not, page by page, tell it of the whole.
    const tag = before.length === 1 ? before[0] : undefined;
    const page = await fetched(after === undefined ? url : `${url}${url.includes("?") ? "&" : "?"}after=${encodeURIComponent(after)}`, headers, tag, signal);
    if (page === "same") return { nth, kind: "same" };
    tags.push(page.tag);
    pages.push(page.packed);
    cells += page.packed.cells.length;
    if (cells > CELLS_MAX) throw new Refused(0, `a mesh of more than ${CELLS_MAX} cells is too large for a picture`);
    after = page.packed.header.next;
  } while (after !== undefined);
  const whole = join(pages);
  if (!whole) throw new Refused(0, "the fleet changed while its matrix was read");
  const mesh = meshOf(whole);
  const shape = JSON.stringify([whole.header.rows, whole.header.columns]);
  const isKnown = kept.shape === shape;
  kept = { url, tags, shape };
  if (!isKnown) return { nth, kind: "whole", mesh };
  const { evaluated_at_ms, looks, counts } = mesh;
  return { nth, kind: "cells", cells: { evaluated_at_ms, cells: mesh.cells, looks, counts } };
}

async function fetched(url: string, headers: Readonly<Record<string, string>>, tag: string | undefined, signal: AbortSignal): Promise<"same" | { tag: string; packed: Packed }> {
  const conditional = tag ? { ...headers, "if-none-match": tag } : headers;
  const response = await fetch(url, { headers: conditional, credentials: "same-origin", cache: "no-store", signal });
  if (response.status === 304) return "same";
  if (!response.ok) {
    const problem = (await response.json().catch(() => ({}))) as { detail?: string };
    throw new Refused(response.status, problem.detail ?? response.statusText);
  }
  return { tag: response.headers.get("etag") ?? "", packed: unpack(await response.arrayBuffer()) };
}
