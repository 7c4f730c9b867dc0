// `<quorate-servers route="eu" subscriber="u42">`: the servers that one user gets, in the route's order, each with its shape, its
// word and, where there is something to say, the reason.

import type { Wanted } from "./address";
import { faceOf, misplaced, noticeOf, type Face } from "./face";
import type { Instant } from "./freshness";
import { LiveElement, observing, type Known } from "./live-element";
import { drawShape, emptyShape } from "./shape";
import { readRoute, type BadgeView, type RouteView } from "./view";

export class QuorateServers extends LiveElement<RouteView> {
  static override observedAttributes = observing("route", "subscriber", "country", "count");

  protected readonly event = "badges";
  readonly #list = document.createElement("ul");

  constructor() {
    super();
    this.#list.setAttribute("part", "list");
    // Without its marks a list is no list to some screen readers, unless it says so.
    this.#list.setAttribute("role", "list");
    this.root.append(this.#list);
  }

  protected wanted(): Wanted {
    return {
      route: this.getAttribute("route")?.trim() ?? "",
      subscriber: this.getAttribute("subscriber"),
      country: this.getAttribute("country"),
      count: this.getAttribute("count"),
    };
  }

  protected read(json: unknown): RouteView | undefined {
    return readRoute(json);
  }

  protected draw(known: Known<RouteView>, now: Instant): number {
    const route = this.getAttribute("route")?.trim() ?? "";
    this.#list.setAttribute("aria-label", this.phrases.say("feed.servers_of", { route }));
    if ("wrong" in known) return this.#rows([row(misplaced(this.phrases, known.wrong))], Infinity);
    const notice = noticeOf(this.phrases, known.heard, { route });
    const { news } = known.heard;
    if (notice || !news) return this.#rows(notice ? [row(notice)] : [], Infinity);
    if (news.view.servers.length === 0) {
      const nothing: Face = { shape: "old", word: this.phrases.say("feed.no_servers"), lines: [], look_again_in_ms: Infinity };
      return this.#rows([row(nothing)], Infinity);
    }
    const faces = news.view.servers.map((view) => ({ view, face: faceOf(this.phrases, view, news.at, now) }));
    const rows = faces.map(({ view, face }) => row(face, view));
    return this.#rows(rows, Math.min(...faces.map(({ face }) => face.look_again_in_ms)));
  }

  #rows(rows: HTMLLIElement[], look_again_in_ms: number): number {
    this.#list.replaceChildren(...rows);
    return look_again_in_ms;
  }
}

function row(face: Face, view?: BadgeView): HTMLLIElement {
  const item = document.createElement("li");
  item.className = face.shape;
  item.setAttribute("part", `row ${face.shape}`);
  const shape = emptyShape();
  shape.setAttribute("part", "shape");
  drawShape(shape, face.shape);
  const name = span("name");
  if (view) {
    const id = span("id", view.server);
    if (view.country) id.append(" ", span("country", view.country));
    name.append(id, " ");
  }
  name.append(span("word", face.word));
  item.append(shape, name);
  // A server that is well needs no second line to say so.
  const said = face.shape === "ok" ? [] : face.lines;
  for (const line of said) {
    const text = span("text", line.text);
    if (line.lang) text.lang = line.lang;
    item.append(text);
  }
  return item;
}

function span(part: string, text = ""): HTMLSpanElement {
  const element = document.createElement("span");
  element.className = part;
  element.setAttribute("part", part);
  element.textContent = text;
  return element;
}
