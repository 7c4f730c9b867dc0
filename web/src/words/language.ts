// Which language the pages speak: what the reader chose, else the first of the browser's that there is, else English.

export const LANGUAGES = ["en", "es", "ro", "ru"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Each in its own words, for the choice. */
export const LANGUAGE_NAMES: Record<Language, string> = { en: "English", es: "Español", ro: "Română", ru: "Русский" };

const KEPT = "quorate-language";

export function chosenLanguage(kept: string | null, wanted: readonly string[]): Language {
  for (const tag of [kept ?? "", ...wanted]) {
    const found = LANGUAGES.find((language) => tag.toLowerCase().split("-")[0] === language);
    if (found) return found;
  }
  return "en";
}

export function readersLanguage(): Language {
  return chosenLanguage(localStorage.getItem(KEPT), navigator.languages);
}

export function keepLanguage(language: Language): void {
  localStorage.setItem(KEPT, language);
}
