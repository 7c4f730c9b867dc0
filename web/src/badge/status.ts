// R11 · The words for how a server is.

/** Strongest first. */
export const STATUSES = [
  "disabled", "down", "unreachable", "blocked", "degraded", "no_data", "pending", "contested", "marked", "ok",
] as const;
export type Status = (typeof STATUSES)[number];
