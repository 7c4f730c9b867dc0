// The votes on one entry point, those that decide first.

import type { Schemas } from "../../api/client";

export const COUNTS_AS = ["accuses", "held", "void", "discarded", "vouches", "nothing"] as const;
export type CountsAs = (typeof COUNTS_AS)[number];

export type Votes = readonly Schemas["Vote"][];

export function votesOn(entryPoint: string, votes: Votes): Votes {
  return votes.filter((vote) => vote.entry_point === entryPoint);
}

/** By what they count as; groups without a vote are left out. */
export function weighed(votes: Votes): { word: CountsAs; votes: Votes }[] {
  return COUNTS_AS.map((word) => ({ word, votes: votes.filter(({ counts_as }) => counts_as === word) })).filter(({ votes }) => votes.length > 0);
}
