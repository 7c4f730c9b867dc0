// The colours of the mesh, for light and dark, and how a canvas gets at them: it knows no custom properties, so an element that
// wears them is asked. States are told apart by lightness too; the gravest stands out most.

import { css } from "lit";

import type { Palette, Pixel } from "./sprites";
import { STATES, type State } from "./states";

export const colours = css`
  :host {
    --mesh-paper: var(--paper);
    --mesh-line: light-dark(#c9c4b8, #3c4349);
    --mesh-line-strong: light-dark(#6f6c65, #9aa0a6);
    --mesh-sees: light-dark(#cde5d2, #1c3b28);
    --mesh-sees-ink: light-dark(#1a713a, #66cf88);
    --mesh-failing: light-dark(#f3c766, #946a0e);
    --mesh-failing-ink: light-dark(#5e3a00, #fff3da);
    --mesh-held: light-dark(#eaa79d, #a3423a);
    --mesh-held-ink: light-dark(#7c120a, #ffe6e2);
    --mesh-sustained: light-dark(#b3190d, #ff7d70);
    --mesh-sustained-ink: light-dark(#ffffff, #2c0603);
    --mesh-unknown: light-dark(#dddad2, #31373c);
    --mesh-unknown-ink: light-dark(#5b6067, #a9adb1);
    --mesh-not_probed: light-dark(#f4f2ec, #191d20);
    --mesh-not_probed-ink: light-dark(#a19d93, #565d63);
  }
`;

/** The palette as `probe`, an element inside the host, sees it at this moment. */
export function paletteOf(probe: HTMLElement): Palette {
  const read = (name: string): Pixel => {
    probe.style.color = `var(${name})`;
    return pixelOf(getComputedStyle(probe).color);
  };
  const each = (suffix: string) =>
    Object.fromEntries(STATES.map((state) => [state, read(`--mesh-${state}${suffix}`)])) as Record<State, Pixel>;
  return { paper: read("--mesh-paper"), line: read("--mesh-line"), lineStrong: read("--mesh-line-strong"), fill: each(""), ink: each("-ink") };
}

/** `rgb(1, 2, 3)` as a pixel; what it cannot read is grey, never an error in the middle of a frame. */
export function pixelOf(colour: string): Pixel {
  const [red, green, blue] = (colour.match(/\d+(\.\d+)?/g) ?? []).map(Number);
  if (red === undefined || green === undefined || blue === undefined) return 0xff808080;
  return (0xff000000 | (Math.round(blue) << 16) | (Math.round(green) << 8) | Math.round(red)) >>> 0;
}
