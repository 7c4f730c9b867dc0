// What every page of the shell is: an element that is told its place, wears the common styles, and draws itself anew when the
// language changes.

import { LitElement } from "lit";
import { property } from "lit/decorators.js";

import type { Place } from "../router";
import { base } from "../style/base";

export abstract class Page extends LitElement {
  /** Where one is: the page, what of it, and filters. Changes while the page stands. */
  @property({ attribute: false }) place!: Place;
  /** Changes with the language, and so has everything drawn anew. */
  @property() language = "en";

  static override styles = [base];
}
