// `<quorate-badge server="nl-1">`: the state of one server as a shape and a word; over it, at focus or at a tap, the reason.
//
// The word is a button whose description is the reason, so that a screen reader says both; the reason opens in the top layer,
// where no table of the panel cuts it off. With `evidence` it has a link to the server's page of the aggregator.

import { evidencePage, type Wanted } from "./address";
import { faceOf, misplaced, noticeOf, type Face } from "./face";
import type { Instant } from "./freshness";
import { LiveElement, observing, type Known } from "./live-element";
import { drawShape, emptyShape } from "./shape";
import { Tip } from "./tip";
import { readBadge, type BadgeView } from "./view";

export class QuorateBadge extends LiveElement<BadgeView> {
  static override observedAttributes = observing("server", "evidence");

  protected readonly event = "badge";
  readonly #button = document.createElement("button");
  readonly #shape = emptyShape();
  readonly #word = document.createElement("span");
  readonly #tip: Tip;

  constructor() {
    super();
    this.#button.type = "button";
    this.#shape.setAttribute("part", "shape");
    this.#word.className = "word";
    this.#word.setAttribute("part", "word");
    this.#button.append(this.#shape, this.#word);
    this.root.append(this.#button);
    this.#tip = new Tip(this, this.#button);
    this.root.append(this.#tip.element);
  }

  override disconnectedCallback(): void {
    this.#tip.close();
    super.disconnectedCallback();
  }

  protected wanted(): Wanted {
    return { server: this.getAttribute("server")?.trim() ?? "" };
  }

  protected read(json: unknown): BadgeView | undefined {
    return readBadge(json);
  }

  protected draw(known: Known<BadgeView>, now: Instant): number {
    const server = this.getAttribute("server")?.trim() ?? "";
    const face = this.#face(known, server, now);
    drawShape(this.#shape, face.shape);
    this.#word.textContent = face.word;
    this.#button.className = face.shape;
    this.#button.setAttribute("part", `badge ${face.shape}`);
    this.#button.setAttribute("aria-label", server ? `${server}: ${face.word}` : face.word);
    const evidence = this.hasAttribute("evidence") && "base" in known ? evidencePage(known.base, server) : undefined;
    const country = "heard" in known ? known.heard.news?.view.country : undefined;
    this.#tip.say({
      title: country ? `${server} · ${country}` : server,
      lines: face.lines,
      ...(evidence && { link: { href: evidence, text: this.phrases.say("feed.evidence") } }),
    });
    return face.look_again_in_ms;
  }

  #face(known: Known<BadgeView>, server: string, now: Instant): Face {
    if ("wrong" in known) return misplaced(this.phrases, known.wrong);
    const notice = noticeOf(this.phrases, known.heard, { server });
    const { news } = known.heard;
    return notice ?? (news ? faceOf(this.phrases, news.view, news.at, now) : misplaced(this.phrases, "server"));
  }
}
