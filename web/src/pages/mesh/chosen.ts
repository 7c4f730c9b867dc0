// What of the mesh is looked at closely: a pair, a witness or a target, and how an address says it.

export interface Chosen {
  readonly witness?: string;
  /** An entry point. */
  readonly target?: string;
}

export function chosenIn(query: URLSearchParams): Chosen | null {
  const [witness, target] = [query.get("w"), query.get("t")];
  if (!witness && !target) return null;
  return { ...(witness && { witness }), ...(target && { target }) };
}

export function queryOf(chosen: Chosen | null): Record<string, string> {
  return { ...(chosen?.witness && { w: chosen.witness }), ...(chosen?.target && { t: chosen.target }) };
}

/** The server of an entry point: ids of entry points are `server/name`. */
export function serverOf(target: string): string {
  return target.split("/", 1)[0] ?? target;
}
