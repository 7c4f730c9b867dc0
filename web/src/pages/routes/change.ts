// What an event of a route says: which entry points left, which came, and whether the order alone is another one. Pure.

export interface RouteChange {
  readonly left: readonly string[];
  readonly came: readonly string[];
  /** The same ones in another order. */
  readonly reordered: boolean;
}

export function difference(from: string | null | undefined, to: string | null | undefined): RouteChange {
  const before = listed(from);
  const after = listed(to);
  const left = before.filter((id) => !after.includes(id));
  const came = after.filter((id) => !before.includes(id));
  return { left, came, reordered: left.length === 0 && came.length === 0 && before.join() !== after.join() };
}

function listed(text: string | null | undefined): string[] {
  return (text ?? "").split(",").map((id) => id.trim()).filter(Boolean);
}
