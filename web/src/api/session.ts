// Who is signed in, and what that allows. The cookie is the browser's and no script reads it; this is what the API says of it.

import { api, ask, signedOut, useBearer } from "./client";
import { live } from "./live";

export interface Who {
  readonly name: string;
  readonly role: "read" | "admin";
}

export class Session extends EventTarget {
  who: Who | undefined;

  get admin(): boolean {
    return this.who?.role === "admin";
  }

  /** Exchanges a token for a session. */
  async signIn(token: string): Promise<void> {
    useBearer(token);
    await ask(api.GET("/api/v1/fleet"));
    const tokens = await api.GET("/api/v1/tokens");
    this.#set({ name: "", role: tokens.response.ok ? "admin" : "read" });
  }

  async signOut(): Promise<void> {
    useBearer("");
    this.#set(undefined);
  }

  /** Whose session the browser has, if any. */
  async resume(): Promise<void> {
    this.#set(undefined);
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
