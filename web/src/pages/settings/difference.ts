// What is different between two JSON values, by path: what the audit shows of a change. Pure.

export interface Difference {
  readonly path: string;
  /** As JSON; absent where there was nothing. */
  readonly before?: string;
  readonly after?: string;
}

/** More lines than these are no glance. */
const LINES_MAX = 40;

export function differences(before: unknown, after: unknown): Difference[] {
  const found: Difference[] = [];
  walk("", before, after, found);
  return found.slice(0, LINES_MAX);
}

function walk(path: string, before: unknown, after: unknown, found: Difference[]): void {
  // What was made or removed is told field by field too.
  const was_in = isObject(before) ? before : before === undefined || before === null ? {} : undefined;
  const is_in = isObject(after) ? after : after === undefined || after === null ? {} : undefined;
  if (was_in && is_in) {
    for (const key of new Set([...Object.keys(was_in), ...Object.keys(is_in)])) {
      walk(path ? `${path}.${key}` : key, was_in[key], is_in[key], found);
    }
    return;
  }
  const [was, is] = [shown(before), shown(after)];
  if (was === is) return;
  found.push({ path, ...(was !== undefined && { before: was }), ...(is !== undefined && { after: is }) });
}

function shown(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : typeof value === "string" ? value : JSON.stringify(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
