// How a label of the catalogue becomes a phrase: its placeholders are filled, and a number chooses its form.
//
// Pure and small, since the badge carries it into other people's pages. A key that the catalogue lacks is shown as it is: a page
// with an ugly word is of more use than none, and a test finds it first.

export type Labels = Readonly<Record<string, string>>;
export type Values = Readonly<Record<string, string | number>>;

/** The phrases of one language. */
export class Phrases {
  readonly language: string;
  /** For numbers and moments: the language with its region where the reader has one, like `en-GB`. */
  readonly locale: string;
  readonly #labels: Labels;
  readonly #plural: Intl.PluralRules;
  readonly #number: Intl.NumberFormat;

  constructor(language: string, labels: Labels, locale = language) {
    this.language = language;
    this.locale = locale;
    this.#labels = labels;
    this.#plural = new Intl.PluralRules(language);
    this.#number = new Intl.NumberFormat(locale);
  }

  /** Whether there is such a label, or such a family of plural forms. */
  has(key: string): boolean {
    return key in this.#labels || `${key}.other` in this.#labels;
  }

  /** The label `key` with its `{name}`s replaced; of a family of plural forms, the one that fits the value `n`. */
  say(key: string, values: Values = {}): string {
    return this.#template(key, values["n"]).replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = values[name];
      if (value === undefined) return whole;
      return typeof value === "number" ? this.#number.format(value) : value;
    });
  }

  #template(key: string, n: string | number | undefined): string {
    const form = typeof n === "number" ? this.#labels[`${key}.${this.#plural.select(n)}`] : undefined;
    return form ?? this.#labels[key] ?? this.#labels[`${key}.other`] ?? key;
  }
}
