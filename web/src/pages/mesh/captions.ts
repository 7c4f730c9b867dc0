// Asks for the matrix's patterns in words.

import { credentials, home } from "../../api/client";
import type { Caption } from "../../mesh/captions";

/** None where the aggregator has no captions. */
export async function readCaptions(): Promise<Caption[]> {
  const response = await fetch(`${home()}/api/v1/matrix/captions`, { headers: credentials(), credentials: "same-origin", cache: "no-cache" });
  return response.ok ? ((await response.json()) as Caption[]) : [];
}
