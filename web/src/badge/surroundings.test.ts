import { expect, test } from "vitest";

import { isLightInk, localeOf } from "./surroundings";

test("ink is light or dark however a browser writes it", () => {
  const light = ["rgb(255, 255, 255)", "rgba(231, 229, 223, 0.9)", "rgb(236 234 228 / 0.8)", "color(srgb 0.9 0.9 0.92)", "oklch(0.92 0.01 250)", "oklab(0.9 0 0)", "lab(92 0 0)"];
  const dark = ["rgb(0, 0, 0)", "rgb(27, 30, 33)", "color(srgb 0.1 0.1 0.1)", "oklch(0.21 0.03 264)", "lab(10 0 0)", "", "nonsense"];
  expect(light.filter((color) => !isLightInk(color))).toEqual([]);
  expect(dark.filter(isLightInk)).toEqual([]);
});

test("times are written as the reader's region does, if one is told for the language", () => {
  expect(localeOf("en", ["en", "ru-RU", "en-GB", "en-US"])).toBe("en-GB");
  expect(localeOf("ru", ["ru"])).toBe("ru");
  expect(localeOf("en", ["en-", "en-!!", "english-GB"])).toBe("en");
});
