// Why an aggregator gives a badge nothing: in words for who looks at the panel, not for who wrote it.

/** `expired`: the signed link's time is over. `refused`: no right. `unknown`: there is no such server or route. */
export type Refusal = "expired" | "refused" | "unknown";

/** What a status of HTTP means; `undefined` where it is no refusal but trouble that may pass by itself. */
export function refusal(status: number, until_s: number | undefined, now_s: number): Refusal | undefined {
  switch (status) {
    case 401:
    case 403:
      return until_s !== undefined && until_s <= now_s ? "expired" : "refused";
    case 404:
      return "unknown";
    case 410:
      return "expired";
    case 400:
    case 422:
      return "refused";
    default:
      return undefined;
  }
}

/** `Retry-After` in seconds, as ms; 0 where absent, a date or out of reason. */
export function retryAfterMs(header: string | null): number {
  const seconds = Number(header ?? "");
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 3_600) * 1_000 : 0;
}
