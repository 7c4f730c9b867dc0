// What an element takes from the page around it: the language, and whether its ink is light, so that the page is dark.
//
// A panel says in many ways that it is dark: a class, an attribute, `color-scheme`, the system's wish. All of them end in the
// colour of the text that the element inherits, and that is what is read.

/** The languages that are asked for, the nearest first: own `lang`, that of an ancestor (through shadow roots), the browser's. */
export function wantedLanguages(element: Element): string[] {
  const nearest: string[] = [];
  for (let at: Element | null = element; at; at = outward(at)) {
    const lang = at.getAttribute("lang");
    if (lang) nearest.push(lang);
  }
  return [...nearest, ...navigator.languages];
}

/** The first of the wanted tags that has a region of `language`, since `en` alone does not say how a time is written. */
export function localeOf(language: string, wanted: readonly string[]): string {
  const regional = wanted.find((tag) => tag.toLowerCase().startsWith(`${language}-`) && isLocale(tag));
  return regional ?? language;
}

function isLocale(tag: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
}

function outward(element: Element): Element | null {
  if (element.parentElement) return element.parentElement;
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? root.host : null;
}

export function isOnDark(element: Element): boolean {
  return isLightInk(getComputedStyle(element).color);
}

/** Whether a colour, as `getComputedStyle` writes it, is nearer to white than to black. */
export function isLightInk(color: string): boolean {
  const [, space = "", inside = ""] = /^([\w-]+)\((.*)\)$/.exec(color.trim()) ?? [];
  const numbers = (inside.match(/-?[\d.]+(e-?\d+)?/gi) ?? []).map(Number);
  const [a = 0, b = 0, c = 0] = numbers;
  switch (space) {
    case "rgb":
    case "rgba":
      return luma(a / 255, b / 255, c / 255) > 0.5;
    case "color":
      // color(srgb 0.9 0.9 0.9), and wider spaces, which are near enough for light and dark.
      return luma(a, b, c) > 0.5;
    case "oklch":
    case "oklab":
      return a > 0.6;
    case "lab":
    case "lch":
      return a > 50;
    default:
      return false;
  }
}

function luma(red: number, green: number, blue: number): number {
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}

const followers = new Set<() => void>();
let end: (() => void) | undefined;

/** Calls when the page may have changed its language or its colours. One watch serves all elements. */
export function onSurroundings(callback: () => void): () => void {
  followers.add(callback);
  end ??= watch();
  return () => {
    followers.delete(callback);
    if (followers.size > 0) return;
    end?.();
    end = undefined;
  };
}

function tell(): void {
  for (const callback of followers) callback();
}

function watch(): () => void {
  const observer = new MutationObserver(tell);
  for (const element of [document.documentElement, document.body]) {
    if (element) observer.observe(element, { attributes: true });
  }
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", tell);
  return () => {
    observer.disconnect();
    dark.removeEventListener("change", tell);
  };
}
