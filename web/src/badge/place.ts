// Where the reason opens: under its badge, or over it where there is more room, and within the window in any case.

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface Size {
  width: number;
  height: number;
}

const GAP_PX = 4;
const EDGE_PX = 8;

/** Left and top, in pixels of the window. `rtl` aligns the right edges. */
export function place(badge: Box, tip: Size, window: Size, rtl = false): { left: number; top: number } {
  const wanted = rtl ? badge.left + badge.width - tip.width : badge.left;
  const left = Math.max(EDGE_PX, Math.min(wanted, window.width - tip.width - EDGE_PX));
  const under = badge.top + badge.height + GAP_PX;
  const over = badge.top - GAP_PX - tip.height;
  const fits = under + tip.height + EDGE_PX <= window.height;
  const top = fits || over < EDGE_PX ? under : over;
  return { left, top: Math.max(EDGE_PX, Math.min(top, window.height - tip.height - EDGE_PX)) };
}
