// Where a badge asks: the address of the API from the element's attributes, and what lets it in.
//
// A signed link or a token stands in the query, since neither an image nor an event stream can send a header. Without either
// the browser's own cookie speaks, on the aggregator's own origin alone.

/** An element's attributes, as written; `null` where absent. */
export interface Written {
  src: string | null;
  link: string | null;
  token: string | null;
}

/** What is asked for. */
export type Wanted =
  | { server: string }
  | { route: string; subscriber: string | null; country: string | null; count: string | null };

/** The address, or the attribute that is missing or wrong. */
export type Addressed = { url: string; base: string; until_s?: number } | { wrong: string };

/** `script` is the address that `badge.js` was loaded from, `page` the one that relative addresses are relative to. */
export function address(written: Written, wanted: Wanted, script: string, page: string): Addressed {
  const base = baseOf(written.src, script, page);
  if (!base) return { wrong: "src" };
  const query = new URLSearchParams();
  let path: string;
  if ("server" in wanted) {
    if (!isName(wanted.server)) return { wrong: "server" };
    path = `api/v1/badges/servers/${encodeURIComponent(wanted.server)}`;
  } else {
    if (!isName(wanted.route)) return { wrong: "route" };
    path = `api/v1/badges/routes/${encodeURIComponent(wanted.route)}`;
    for (const name of ["subscriber", "country", "count"] as const) {
      const value = wanted[name];
      if (value) query.set(name, value);
    }
  }
  const link = written.link?.trim();
  let until_s: number | undefined;
  if (link) {
    const signed = signature(link);
    if (!signed) return { wrong: "link" };
    until_s = signed.until_s;
    query.set("until", String(signed.until_s));
    query.set("sig", signed.sig);
  } else if (written.token?.trim()) {
    query.set("token", written.token.trim());
  }
  const url = new URL(path, base);
  url.search = query.toString();
  return { url: url.href, base, ...(until_s !== undefined && { until_s }) };
}

/** The aggregator's address with its path prefix and a slash at the end: as written, else the folder of the script. */
export function baseOf(src: string | null, script: string, page: string): string | undefined {
  try {
    const base = src?.trim() ? new URL(src.trim(), page) : new URL(".", script);
    if (base.protocol !== "https:" && base.protocol !== "http:") return undefined;
    if (base.username || base.password) return undefined;
    base.search = "";
    base.hash = "";
    if (!base.pathname.endsWith("/")) base.pathname += "/";
    return base.href;
  } catch {
    return undefined;
  }
}

/** The page of a server among the aggregator's own. */
export function evidencePage(base: string, server: string): string {
  return `${base}#/server/${encodeURIComponent(server)}`;
}

/** A dot or two would be steps in the path, and half a character cannot be written in one. */
function isName(id: string): boolean {
  return id !== "" && id !== "." && id !== ".." && !/\p{Surrogate}/u.test(id);
}

function signature(link: string): { until_s: number; sig: string } | undefined {
  const query = new URLSearchParams(link.startsWith("?") ? link.slice(1) : link);
  const until_s = Number(query.get("until"));
  const sig = query.get("sig");
  return Number.isSafeInteger(until_s) && until_s > 0 && sig ? { until_s, sig } : undefined;
}
