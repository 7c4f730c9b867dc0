// Formats of the reader's locale, each made once: to make one costs more than to draw the row that it is for. The locale is the
// reader's own of the language that is spoken, so that an English page in Bucharest writes 14:02 as its reader does.

import { currentLanguage } from ".";
import { localeOf } from "../badge/surroundings";

const made = new Map<string, unknown>();

function once<T>(kind: string, shape: object, make: (locale: string) => T): T {
  const language = currentLanguage();
  const key = `${language} ${kind} ${JSON.stringify(shape)}`;
  const known = made.get(key);
  if (known !== undefined) return known as T;
  const format = make(localeOf(language, typeof navigator === "undefined" ? [] : navigator.languages));
  made.set(key, format);
  return format;
}

export function numbers(shape: Intl.NumberFormatOptions): Intl.NumberFormat {
  return once("number", shape, (locale) => new Intl.NumberFormat(locale, shape));
}

export function times(shape: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return once("time", shape, (locale) => new Intl.DateTimeFormat(locale, shape));
}

export function relative(shape: Intl.RelativeTimeFormatOptions): Intl.RelativeTimeFormat {
  return once("relative", shape, (locale) => new Intl.RelativeTimeFormat(locale, shape));
}

export function regions(): Intl.DisplayNames {
  return once("regions", {}, (locale) => new Intl.DisplayNames(locale, { type: "region" }));
}
