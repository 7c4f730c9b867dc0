// The one way to the API: typed by its own description, relative to the page (so behind any prefix), with what a change by
// cookie needs, and with every refusal as the problem document that it is.

import createClient, { type Middleware } from "openapi-fetch";

import type { components, paths } from "./schema";

export type Schemas = components["schemas"];

/** Where the page lies, without a slash at its end: the prefix before `/api`. */
export function home(base: string = document.baseURI): string {
  return new URL(".", base).href.replace(/\/$/, "");
}

/** A refusal, as the API words it; `status` 0 is an aggregator that did not answer. */
export class Refusal extends Error {
  readonly problem: Schemas["Problem"];

  constructor(problem: Schemas["Problem"]) {
    super(problem.detail);
    this.problem = problem;
  }

  /** The last part of the problem's type: `changed_meanwhile`, `unauthorized`, … */
  get word(): string {
    return this.problem.type.split(":").at(-1) ?? "";
  }

  get status(): number {
    return this.problem.status;
  }
}

export function unanswered(error: unknown): Refusal {
  const detail = error instanceof Error ? error.message : String(error);
  return new Refusal({ type: "urn:quorate:problem:unanswered", title: "No answer", status: 0, detail });
}

/** What a change by cookie has to carry: no form of another page can send it. */
export function credentials(): Record<string, string> {
  return { "x-quorate-request": "1" };
}

const withCredentials: Middleware = {
  onRequest({ request }) {
    for (const [name, value] of Object.entries(credentials())) request.headers.set(name, value);
    return request;
  },
};

/** Whoever wants to know that the session is over. */
export const signedOut = new EventTarget();

export const api = createClient<paths>({
  baseUrl: typeof document === "undefined" ? "http://localhost" : home(),
  cache: "no-cache",
  credentials: "same-origin",
});
api.use(withCredentials);

interface Answered<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** What an answer holds, or the refusal thrown: `const fleet = await ask(api.GET("/api/v1/fleet"))`. */
export async function ask<T>(asked: Promise<Answered<T>>): Promise<T> {
  return (await askWhole(asked)).data;
}

/** With the response beside it, for its `ETag`. */
export async function askWhole<T>(asked: Promise<Answered<T>>): Promise<{ data: T; response: Response }> {
  let answered: Answered<T>;
  try {
    answered = await asked;
  } catch (error) {
    throw unanswered(error);
  }
  const { data, error, response } = answered;
  if (response.ok) return { data: data as T, response };
  if (response.status === 401) signedOut.dispatchEvent(new Event("signed-out"));
  throw new Refusal(isProblem(error) ? error : strange(response));
}

function isProblem(value: unknown): value is Schemas["Problem"] {
  return typeof value === "object" && value !== null && "detail" in value && "type" in value;
}

/** An answer from somebody else than the API: a proxy's page. */
function strange(response: Response): Schemas["Problem"] {
  const detail = `${new URL(response.url).pathname}: ${response.status} ${response.statusText}`.trim();
  return { type: "urn:quorate:problem:strange", title: response.statusText, status: response.status, detail };
}

/** `If-Match` of a change to what was read at that version of the inventory. */
export function ifMatch(inventory_version: number): { "If-Match": string } {
  return { "If-Match": `"inventory-${inventory_version}"` };
}

/** All pages of a list. */
export async function all<T>(page: (after: string | undefined) => Promise<{ items: T[]; next?: string | null }>): Promise<T[]> {
  const items: T[] = [];
  let after: string | undefined;
  do {
    const answer = await page(after);
    items.push(...answer.items);
    after = answer.next ?? undefined;
  } while (after !== undefined);
  return items;
}
