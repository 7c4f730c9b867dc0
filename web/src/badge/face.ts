// What a badge shows: shape, word and the lines behind them, from what its feed heard, at one moment, in one language.
//
// Pure. It never shows a state that it cannot vouch for: no news, a refusal and old news each look like what they are.

import type { Phrases } from "../words/phrase";
import type { Heard } from "./feed";
import { freshness, type Instant } from "./freshness";
import { badgeText } from "./label";
import { age, ago, since } from "./moment";
import type { Shape } from "./shape";
import type { BadgeView } from "./view";

export interface Line {
  text: string;
  /** Of another language than the rest: the aggregator's own sentences are English. */
  lang?: "en";
}

export interface Face {
  shape: Shape;
  word: string;
  /** The first says what is, the others more of it. */
  lines: Line[];
  /** When it changes by itself, for its age; `Infinity` where it does not. */
  look_again_in_ms: number;
}

/** Who the badge is about, for what it says when nothing is known. */
export type Subject = { server: string } | { route: string };

/** Of one server, from news that came at `at`. */
export function faceOf(phrases: Phrases, view: BadgeView, at: Instant, now: Instant): Face {
  const word = phrases.say(`status.${view.status}`);
  const text = badgeText(phrases, view);
  const dated = view.since_ms === undefined ? text : since(phrases, text, view.since_ms, now.wall_ms);
  const { old, age_ms, look_again_in_ms } = freshness(at, view.fresh_for_ms, now);
  const { locale } = phrases;
  const reason: Line[] = view.reason ? [{ text: view.reason, lang: "en" }] : [];
  if (old) {
    const why = phrases.say("feed.old_why", { age: age(locale, age_ms) });
    return {
      shape: "old",
      word: phrases.say("feed.old", { word, ago: ago(locale, age_ms) }),
      lines: [{ text: why }, { text: dated }, ...reason],
      look_again_in_ms,
    };
  }
  if (view.stale) {
    return {
      shape: "old",
      word: phrases.say("badge.stale", { text: word }),
      lines: [{ text: phrases.say("feed.stale_why") }, { text: dated }, ...reason],
      look_again_in_ms,
    };
  }
  return { shape: view.status, word, lines: [{ text: dated }, ...reason], look_again_in_ms };
}

/** Where there is nothing to show of a server: still asking, refused, nobody answers. `undefined` where there are news. */
export function noticeOf(phrases: Phrases, heard: Heard<unknown>, subject: Subject): Face | undefined {
  if (heard.refusal === "unknown") {
    const why =
      "server" in subject
        ? phrases.say("feed.unknown_server_why", subject)
        : phrases.say("feed.unknown_route_why", subject);
    return notice(phrases.say("feed.unknown"), why);
  }
  if (heard.refusal === "expired") return notice(phrases.say("feed.expired"), phrases.say("feed.expired_why"));
  if (heard.refusal === "refused") return notice(phrases.say("feed.refused"), phrases.say("feed.refused_why"));
  if (heard.news) return undefined;
  if (heard.lost) return notice(phrases.say("feed.unheard"), phrases.say("feed.unheard_why"));
  return { ...notice(phrases.say("feed.asking")), shape: "pending" };
}

/** An attribute is missing or cannot be read. */
export function misplaced(phrases: Phrases, attribute: string): Face {
  return notice(phrases.say("feed.misplaced"), phrases.say("feed.misplaced_why", { attribute }));
}

function notice(word: string, ...lines: string[]): Face {
  return { shape: "old", word, lines: lines.map((text) => ({ text })), look_again_in_ms: Infinity };
}
