// A channel's form as the entry that is written. Which fields a kind has is written down once, and the form is drawn from it. A
// secret that is left empty is not written, so it stays as it was. Pure.

import type { Schemas } from "../../api/client";
import { text, words } from "./section";

export type ChannelEntry = Schemas["ChannelEntry"];
export type Kind = Schemas["Settings"]["kind"];

export interface ChannelField {
  readonly name: string;
  readonly as: "text" | "secret" | "number" | "words" | "labels" | "security" | "pem";
  readonly required?: boolean;
  readonly example?: string;
}

const ca: ChannelField = { name: "ca", as: "pem" };

export const KINDS: Readonly<Record<Kind, readonly ChannelField[]>> = {
  webhook: [{ name: "url", as: "text", required: true, example: "https://panel.example.org/hook" }, { name: "secret", as: "secret" }, ca],
  mail: [
    { name: "host", as: "text", required: true, example: "smtp.example.org" },
    { name: "security", as: "security" },
    { name: "port", as: "number", example: "587" },
    { name: "from", as: "text", required: true, example: "Quorate <quorate@example.org>" },
    { name: "to", as: "words", required: true, example: "ops@example.org" },
    { name: "username", as: "text" },
    { name: "password", as: "secret" },
    ca,
  ],
  telegram: [
    { name: "token", as: "secret" },
    { name: "chat", as: "text", required: true, example: "-1001234567890" },
    { name: "thread", as: "number" },
    { name: "api", as: "text", example: "https://api.telegram.org" },
    ca,
  ],
  alertmanager: [
    { name: "url", as: "text", required: true, example: "http://127.0.0.1:9093" },
    { name: "labels", as: "labels", example: "team=vpn" },
    { name: "username", as: "text" },
    { name: "password", as: "secret" },
    ca,
  ],
};

export function channelOf(form: FormData, id: string, kind: Kind): ChannelEntry {
  const entry: Record<string, unknown> = { id, kind };
  for (const { name, as } of KINDS[kind]) {
    const value = text(form, name);
    if (value === undefined) continue;
    entry[name] = as === "number" ? Number(value) : as === "words" ? value.split(/[,\n]+/).map((word) => word.trim()).filter(Boolean) : as === "labels" ? labelsOf(value) : value;
  }
  // The fields of a kind are those of its schema, which the type cannot see through a table.
  return entry as ChannelEntry;
}

/** What a field shows of what is written. */
export function shown(field: ChannelField, before: Readonly<Record<string, unknown>>): string {
  const value = before[field.name];
  if (value === undefined || value === null || field.as === "secret") return "";
  if (field.as === "words") return (value as string[]).join(", ");
  if (field.as === "labels") return Object.entries(value as Record<string, string>).map(([name, word]) => `${name}=${word}`).join(" ");
  return String(value);
}

function labelsOf(value: string): Record<string, string> {
  return Object.fromEntries(words(value).map((pair) => [pair.split("=", 1)[0] ?? "", pair.slice(pair.indexOf("=") + 1)]));
}
