// What both elements have in common: they follow a feed while they stand in a page, speak its language, wear its light or dark,
// and draw themselves anew when news come, when an attribute changes, or when what they show grows old.

import { Phrases } from "../words/phrase";
import { chosenLanguage } from "../words/language";
import { address, type Wanted, type Written } from "./address";
import type { Heard, Source } from "./feed";
import { Feeds } from "./feeds";
import { catalogue } from "./catalogue";
import { sheet } from "./style";
import { isOnDark, localeOf, onSurroundings, wantedLanguages } from "./surroundings";
import { browser } from "./world";
import type { Instant } from "./freshness";

const feeds = new Feeds(browser);

/** Where this file was loaded from: the aggregator, unless the element names another. */
const SCRIPT = import.meta.url;

/** What an element has to draw: what was heard, or the attribute that keeps it from asking. */
export type Known<T> = { heard: Heard<T>; base: string } | { wrong: string };

const COMMON = ["src", "link", "token", "theme", "lang"];

export abstract class LiveElement<T> extends HTMLElement {
  static observedAttributes = COMMON;

  protected readonly root: HTMLElement;
  protected phrases = new Phrases("en", {});
  #known: Known<T> = { wrong: "" };
  #source = "";
  #end_feed: () => void = () => {};
  #end_surroundings: () => void = () => {};
  #end_timer: () => void = () => {};
  #planned = false;

  constructor() {
    super();
    const shadow = this.attachShadow({ mode: "open" });
    shadow.adoptedStyleSheets = [sheet()];
    this.root = document.createElement("div");
    this.root.id = "root";
    shadow.append(this.root);
  }

  /** What its own attributes ask for. */
  protected abstract wanted(): Wanted;
  /** The event of the stream, and how its state is read. */
  protected abstract readonly event: string;
  protected abstract read(json: unknown): T | undefined;
  /** Draws what is known; gives in how many ms it changes by itself. */
  protected abstract draw(known: Known<T>, now: Instant): number;

  connectedCallback(): void {
    this.#end_surroundings();
    this.#end_surroundings = onSurroundings(() => this.#plan());
    this.#follow();
    this.#show();
  }

  disconnectedCallback(): void {
    this.#end_surroundings();
    this.#end_feed();
    this.#end_timer();
    this.#end_surroundings = this.#end_feed = this.#end_timer = () => {};
    this.#source = "";
  }

  attributeChangedCallback(): void {
    if (this.isConnected) this.#plan();
  }

  /** Attributes come one by one; what they mean together is looked at once. */
  #plan(): void {
    if (this.#planned) return;
    this.#planned = true;
    queueMicrotask(() => {
      this.#planned = false;
      if (!this.isConnected) return;
      this.#follow();
      this.#show();
    });
  }

  #follow(): void {
    const written: Written = {
      src: this.getAttribute("src"),
      link: this.getAttribute("link"),
      token: this.getAttribute("token"),
    };
    const where = address(written, this.wanted(), SCRIPT, document.baseURI);
    const source = "wrong" in where ? `wrong ${where.wrong}` : where.url;
    if (source === this.#source) return;
    this.#source = source;
    this.#end_feed();
    this.#end_feed = () => {};
    if ("wrong" in where) {
      this.#known = where;
      return;
    }
    const { url, base, until_s } = where;
    const from: Source<T> = { url, event: this.event, read: (json) => this.read(json), ...(until_s && { until_s }) };
    this.#known = { heard: { lost: false }, base };
    const { feed, end } = feeds.follow(from, () => {
      this.#known = { heard: feed.heard, base };
      this.#show();
    });
    this.#known = { heard: feed.heard, base };
    this.#end_feed = end;
  }

  #show(): void {
    const wanted = wantedLanguages(this);
    const language = chosenLanguage(null, wanted);
    const locale = localeOf(language, wanted);
    if (locale !== this.phrases.locale || this.root.lang !== language) {
      this.phrases = new Phrases(language, catalogue[language], locale);
      this.root.lang = language;
    }
    this.root.classList.toggle("dark", isOnDark(this));
    this.#end_timer();
    const look_again_in_ms = this.draw(this.#known, browser.now());
    this.#end_timer = Number.isFinite(look_again_in_ms) ? browser.later(look_again_in_ms, () => this.#show()) : () => {};
  }
}

/** The attributes that make an element look again. */
export function observing(...own: string[]): string[] {
  return [...own, ...COMMON];
}
