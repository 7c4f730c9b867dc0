// What a piece of JSON that was not looked at yet may be.

export function isRecord(json: unknown): json is Record<string, unknown> {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

export function isNumber(json: unknown): json is number {
  return typeof json === "number" && Number.isFinite(json);
}
