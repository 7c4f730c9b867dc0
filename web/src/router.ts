// Where one is: the address's fragment as a place. `#/server/nl-1?hours=24` names a page, at most one thing and filters. The
// fragment never reaches the server, so pages work behind any path prefix without its knowing.

export const PAGES = ["fleet", "mesh", "server", "routes", "edges", "history", "backtest", "settings"] as const;
export type PageName = (typeof PAGES)[number];

export interface Place {
  readonly page: PageName;
  /** What of it: a server's id, a route's, a section of the settings; empty for the page as such. */
  readonly id: string;
  readonly query: URLSearchParams;
}

/** The place that a fragment names; the fleet where it names none that there is. */
export function parse(fragment: string): Place {
  const [path = "", search = ""] = fragment.replace(/^#\/?/, "").split(/\?(.*)/s, 2);
  const [name = "", ...rest] = path.split("/");
  const page = PAGES.find((known) => known === name);
  const query = new URLSearchParams(search);
  return page ? { page, id: decoded(rest.join("/")), query } : { page: "fleet", id: "", query };
}

/** The fragment that names a place: what links have. */
export function href(page: PageName, id = "", query: Record<string, string> = {}): string {
  const path = id ? `#/${page}/${id.split("/").map(encodeURIComponent).join("/")}` : `#/${page}`;
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "")).toString();
  return search ? `${path}?${search}` : path;
}

/** Writes filters into the address without a step in the browser's history: typing is no journey. */
export function keepQuery(place: Place, query: Record<string, string>): void {
  history.replaceState(history.state, "", href(place.page, place.id, query));
}

export function go(page: PageName, id = "", query: Record<string, string> = {}): void {
  location.hash = href(page, id, query);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
