// Light or dark: as the reader's system has it, unless they chose.

export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEPT = "quorate-theme";

export function keptTheme(): Theme {
  const kept = THEMES.find((theme) => theme === localStorage.getItem(KEPT)) ?? "auto";
  show(kept);
  return kept;
}

export function keepTheme(theme: Theme): void {
  localStorage.setItem(KEPT, theme);
  show(theme);
}

function show(theme: Theme): void {
  document.documentElement.dataset["theme"] = theme;
  // A canvas has no custom properties of its own: it draws itself anew at this.
  window.dispatchEvent(new Event("quorate-theme"));
}
