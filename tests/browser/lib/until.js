// Waiting for a condition, never for a time: a probe is asked again until it says yes, and the deadline is many times what it
// needs.

/** How long anything may take that this machine does when it is busy. */
export const PATIENCE_MS = Number(process.env["QUORATE_PATIENCE_MS"] ?? 45_000);
const EVERY_MS = 40;

/**
 * What `probe` says once that is anything but undefined, null or false. An error of the probe counts as no.
 * @template T
 * @param {string} what said if it never does
 * @param {() => T | Promise<T>} probe
 * @param {number} [patience_ms]
 * @returns {Promise<NonNullable<T>>}
 */
export async function until(what, probe, patience_ms = PATIENCE_MS) {
  const deadline = performance.now() + patience_ms;
  /** @type {unknown} */
  let last;
  do {
    try {
      const found = await probe();
      if (found !== undefined && found !== null && found !== false) return /** @type {NonNullable<T>} */ (found);
      last = found;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  } while (performance.now() < deadline);
  throw new Error(`waited ${patience_ms} ms in vain: ${what} (${last instanceof Error ? last.message : String(last)})`);
}
