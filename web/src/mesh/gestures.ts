// Pointers and the wheel as what they mean for the mesh: one pointer pans, two pinch and pan, one that does not move presses,
// the wheel zooms where it points, or pans if it goes sideways.

export interface Meanings {
  pan(dx: number, dy: number): void;
  /** By a factor, around a point of the element; false if it can go no further. */
  zoom(factor: number, x: number, y: number): boolean;
  press(x: number, y: number): void;
  /** A pointer without a button is over a point, or has left. */
  hover(at: { x: number; y: number } | null): void;
}

/** Less than this is a hand that trembles. */
const STILL_PX = 5;
const LINE_PX = 16;

export class Gestures {
  readonly #target: HTMLElement;
  readonly #means: Meanings;
  readonly #pointers = new Map<number, { x: number; y: number }>();
  #moved = 0;
  #pinched = false;

  constructor(target: HTMLElement, means: Meanings) {
    this.#target = target;
    this.#means = means;
  }

  /** From then on, for as long as the element is there. */
  listen(): void {
    const target = this.#target;
    target.addEventListener("pointerdown", this.#down);
    target.addEventListener("pointermove", this.#move);
    target.addEventListener("pointerup", this.#up);
    target.addEventListener("pointercancel", this.#cancel);
    target.addEventListener("pointerleave", () => this.#means.hover(null));
    target.addEventListener("wheel", this.#wheel, { passive: false });
  }

  readonly #down = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    this.#target.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, this.#at(event));
    if (this.#pointers.size === 1) {
      this.#moved = 0;
      this.#pinched = false;
    } else {
      this.#pinched = true;
    }
  };

  readonly #move = (event: PointerEvent): void => {
    const to = this.#at(event);
    const from = this.#pointers.get(event.pointerId);
    if (!from) {
      this.#means.hover(to);
      return;
    }
    const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1];
    this.#pointers.set(event.pointerId, to);
    this.#moved += Math.hypot(to.x - from.x, to.y - from.y);
    if (!other) {
      if (this.#moved > STILL_PX) this.#means.pan(from.x - to.x, from.y - to.y);
      return;
    }
    const [before, after] = [Math.hypot(from.x - other.x, from.y - other.y), Math.hypot(to.x - other.x, to.y - other.y)];
    this.#means.pan((from.x - to.x) / 2, (from.y - to.y) / 2);
    if (before > 1) this.#means.zoom(after / before, (to.x + other.x) / 2, (to.y + other.y) / 2);
  };

  readonly #up = (event: PointerEvent): void => {
    const at = this.#pointers.get(event.pointerId);
    this.#pointers.delete(event.pointerId);
    if (at && this.#pointers.size === 0 && !this.#pinched && this.#moved <= STILL_PX) this.#means.press(at.x, at.y);
  };

  readonly #cancel = (event: PointerEvent): void => {
    this.#pointers.delete(event.pointerId);
  };

  readonly #wheel = (event: WheelEvent): void => {
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PX : 1;
    const [dx, dy] = event.shiftKey && event.deltaX === 0 ? [event.deltaY, 0] : [event.deltaX, event.deltaY];
    const { x, y } = this.#at(event);
    if (Math.abs(dx) > Math.abs(dy)) {
      event.preventDefault();
      this.#means.pan(dx * unit, 0);
      return;
    }
    // A pinch on a touchpad comes as a wheel with Control, in small steps.
    const factor = Math.exp(-dy * unit * (event.ctrlKey ? 0.01 : 0.0022));
    // At its end the page below may scroll on; a pinch never zooms the whole page.
    if (this.#means.zoom(factor, x, y) || event.ctrlKey) event.preventDefault();
  };

  #at(event: MouseEvent): { x: number; y: number } {
    const box = this.#target.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }
}
