// The explanation's sentences, sorted by what a reader looks for: what is so, what to do, what would lift it, and the rest by
// what it is about. The sentences are the aggregator's own; none is worded anew here, and one that fits nowhere is an ordinary
// finding.

import type { Schemas } from "../../api/client";

type Sentence = Schemas["SentenceView"];

export interface Advice {
  /** What leads to it; empty where it stands alone. */
  readonly why: string;
  /** Without "What to do:". */
  readonly act: string;
}

export interface Lift {
  /** Entry points that it goes for; empty if it goes for the server. */
  readonly of: readonly string[];
  readonly text: string;
}

export interface Findings {
  /** An entry point's id; empty for the server as a whole. */
  readonly about: string;
  readonly sentences: readonly Sentence[];
}

export interface Sorted {
  readonly headline: string;
  readonly advice: readonly Advice[];
  readonly lifts: readonly Lift[];
  readonly findings: readonly Findings[];
}

const ACT = "What to do: ";
const LIFT = "What lifts it: ";
/** How the server's own conditions say what ends them. */
const ENDS = /\b(lifts that|ends this)\b/;

export function sorted(explanation: readonly Sentence[], entry_points: readonly string[]): Sorted {
  const advice: Advice[] = [];
  const lifts = new Map<string, string[]>();
  const findings: { about: string; sentences: Sentence[] }[] = [];
  let about = "";
  const [first, ...rest] = explanation;
  for (const sentence of rest) {
    const { text } = sentence;
    const [why, act] = cut(text, ACT);
    if (act !== undefined) {
      advice.push({ why, act: capital(act) });
      continue;
    }
    about = entry_points.find((id) => text.startsWith(`${id} `)) ?? (text.startsWith("How the last knocks on") ? named(text, entry_points) : about);
    if (text.startsWith(LIFT)) {
      const lift = capital(text.slice(LIFT.length));
      lifts.set(lift, [...(lifts.get(lift) ?? []), about].filter(Boolean));
      continue;
    }
    if (about === "" && ENDS.test(text)) lifts.set(text, []);
    const group = findings.find((known) => known.about === about);
    if (group) group.sentences.push(sentence);
    else findings.push({ about, sentences: [sentence] });
  }
  return { headline: first?.text ?? "", advice, lifts: [...lifts].map(([text, of]) => ({ of, text })), findings };
}

function cut(text: string, at: string): [string, string | undefined] {
  const found = text.indexOf(at);
  return found < 0 ? [text, undefined] : [text.slice(0, found).trim(), text.slice(found + at.length)];
}

function named(text: string, entry_points: readonly string[]): string {
  return entry_points.find((id) => text.includes(` ${id} `)) ?? "";
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
