// The reason over a badge: opens for a pointer that rests on it, at keyboard focus and at a tap; stays while the pointer is on
// the badge or on the reason itself; closes at Escape, at a press elsewhere, and when the focus leaves (WCAG 1.4.13).
//
// One is open at a time. Listeners on the page exist only while one is.

import type { Line } from "./face";
import { place } from "./place";

export interface Said {
  title: string;
  lines: readonly Line[];
  link?: { href: string; text: string };
}

const OPEN_AFTER_MS = 120;
const CLOSE_AFTER_MS = 180;

/** Closes the one that is open. */
let close_open: (() => void) | undefined;

export class Tip {
  readonly element = document.createElement("div");
  readonly #host: HTMLElement;
  readonly #badge: HTMLElement;
  readonly #text = document.createElement("div");
  #link: HTMLAnchorElement | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** There while it is open; takes the listeners on the page away. */
  #end: AbortController | undefined;
  /** Opened by a press: only another press, Escape or a loss of focus closes it. */
  #pinned = false;

  constructor(host: HTMLElement, badge: HTMLElement) {
    this.#host = host;
    this.#badge = badge;
    this.element.id = "tip";
    this.element.setAttribute("part", "tip");
    this.element.setAttribute("role", "tooltip");
    if ("popover" in this.element) this.element.popover = "manual";
    this.#text.id = "reason";
    this.element.append(this.#text);
    badge.setAttribute("aria-describedby", "reason");
    badge.setAttribute("aria-expanded", "false");
    badge.setAttribute("aria-controls", "tip");

    for (const part of [badge, this.element]) {
      part.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && this.#soon(() => this.#open(), OPEN_AFTER_MS));
      part.addEventListener("pointerleave", (event) => {
        if (event.pointerType === "mouse" && !this.#pinned) this.#soon(() => this.close(), CLOSE_AFTER_MS);
      });
    }
    badge.addEventListener("click", () => {
      if (this.#end && this.#pinned) return this.close();
      this.#open();
      this.#pinned = true;
    });
    badge.addEventListener("focus", () => badge.matches(":focus-visible") && this.#open());
    host.addEventListener("focusout", (event) => {
      const to = event.relatedTarget;
      if (!(to instanceof Node && (host.contains(to) || host.shadowRoot?.contains(to)))) this.close();
    });
  }

  say({ title, lines, link }: Said): void {
    const paragraphs = lines.map((line, index) => {
      const paragraph = document.createElement("p");
      paragraph.textContent = line.text;
      if (line.lang) paragraph.lang = line.lang;
      if (index > 0) paragraph.className = "more";
      paragraph.setAttribute("part", index > 0 ? "more" : "text");
      return paragraph;
    });
    const heading = document.createElement("p");
    const name = document.createElement("strong");
    name.textContent = title;
    heading.append(name);
    this.#text.replaceChildren(...(title ? [heading] : []), ...paragraphs);
    this.#linkTo(link);
    if (this.#end) this.#place();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#pinned = false;
    if (!this.#end) return;
    this.#end.abort();
    this.#end = undefined;
    close_open = undefined;
    this.element.classList.remove("open");
    if (this.element.matches(":popover-open")) this.element.hidePopover();
    this.#badge.setAttribute("aria-expanded", "false");
  }

  /** A link makes it more than a description: it can be stepped into. */
  #linkTo(link: Said["link"]): void {
    this.element.setAttribute("role", link ? "group" : "tooltip");
    if (!link) {
      this.#link?.remove();
      this.#link = undefined;
      return;
    }
    if (!this.#link) {
      this.#link = document.createElement("a");
      this.#link.setAttribute("part", "link");
      this.#link.target = "_blank";
      this.#link.rel = "noopener";
      this.element.append(this.#link);
    }
    this.#link.href = link.href;
    this.#link.textContent = link.text;
  }

  #soon(act: () => void, ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(act, ms);
  }

  #open(): void {
    clearTimeout(this.#timer);
    if (this.#end || !this.#host.isConnected) return;
    close_open?.();
    close_open = () => this.close();
    this.#end = new AbortController();
    const { signal } = this.#end;
    this.element.classList.add("open");
    if ("popover" in this.element) this.element.showPopover();
    this.#badge.setAttribute("aria-expanded", "true");
    this.#place();
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.#escape(event), { signal, capture: true });
    document.addEventListener("pointerdown", (event) => event.composedPath().includes(this.#host) || this.close(), { signal });
    window.addEventListener("scroll", () => this.#place(), { signal, capture: true, passive: true });
    window.addEventListener("resize", () => this.#place(), { signal });
  }

  /** Closes the reason and nothing of the panel that also listens to Escape. */
  #escape(event: KeyboardEvent): void {
    event.stopPropagation();
    if (this.#host.shadowRoot?.activeElement === this.#link) this.#badge.focus();
    this.close();
  }

  #place(): void {
    const rtl = getComputedStyle(this.#host).direction === "rtl";
    const window = { width: document.documentElement.clientWidth, height: document.documentElement.clientHeight };
    const { left, top } = place(this.#badge.getBoundingClientRect(), this.element.getBoundingClientRect(), window, rtl);
    this.element.style.left = `${left}px`;
    this.element.style.top = `${top}px`;
  }
}
