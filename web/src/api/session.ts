// Who is signed in, and what that allows. The cookie is the browser's and no script reads it; this is what the API says of it.
// A session that ends while a page stands is noticed at the next answer, and the page of signing in takes its place.

import { api, ask, Refusal, type Schemas, signedOut } from "./client";
import { live } from "./live";

export type Who = Schemas["SignedIn"];

export class Session extends EventTarget {
  who: Who | undefined;
  /** Why nobody is signed in, where it is another reason than that nobody did: the aggregator does not answer. */
  unknown: Refusal | undefined;

  get admin(): boolean {
    return this.who?.role === "admin";
  }

  /** Exchanges a token for a session. */
  async signIn(token: string): Promise<void> {
    this.#set(await ask(api.POST("/api/v1/session", { body: { token } })));
  }

  /** Ends the session; who is no more known signs out all the same. */
  async signOut(): Promise<void> {
    await ask(api.DELETE("/api/v1/session"));
    this.#set(undefined);
  }

  /** Whose session the browser has, if any. */
  async resume(): Promise<void> {
    this.unknown = undefined;
    try {
      this.#set(await ask(api.GET("/api/v1/session")));
    } catch (error) {
      this.unknown = error instanceof Refusal && error.status !== 401 ? error : undefined;
      this.#set(undefined);
    }
  }

  ended(): void {
    if (this.who) this.#set(undefined);
  }

  #set(who: Who | undefined): void {
    this.who = who;
    if (who) live.start();
    else live.stop();
    this.dispatchEvent(new Event("change"));
  }
}

export const session = new Session();
signedOut.addEventListener("signed-out", () => session.ended());
