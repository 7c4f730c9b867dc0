// How the elements look, unless the panel says otherwise: by custom properties `--quorate-…`, or `::part(…)`.
//
// The word has the ink of the panel, so it reads as well as the panel's own text; the shape has a colour of its own that stands
// out from white and from black by 3:1 at least, since nobody can be sure which of the two it stands on. A constructed sheet,
// since a panel's policy may forbid inline styles.

export const STYLE = `
:host { display: inline-block; font-family: var(--quorate-font, inherit); line-height: 1.4; vertical-align: middle }
:host([hidden]) { display: none }
:host([theme=light]) { color: #1b1e21 }
:host([theme=dark]) { color: #e7e5df }
#root {
  --ok: #1a8044; --marked: #0a5fb4; --degraded: #9a5b00; --blocked: #7a3fe0; --unreachable: #c02a1d; --quiet: #636a72;
  --paper: #fff; --ink: #1b1e21; --line: #c9c5bb; --accent: #0b6b67;
}
#root.dark {
  --ok: #58c67c; --marked: #6fb1ff; --degraded: #eaa944; --blocked: #bd93ff; --unreachable: #ff8073; --quiet: #a3a8ae;
  --paper: #23282d; --ink: #eceae4; --line: #545b62; --accent: #7ad3cb;
}
svg { flex: none; width: .72em; height: .72em; min-width: 9px; min-height: 9px; color: var(--quorate-quiet, var(--quiet)) }
.ok > svg { color: var(--quorate-ok, var(--ok)) }
.marked > svg, .contested > svg { color: var(--quorate-marked, var(--marked)) }
.degraded > svg { color: var(--quorate-degraded, var(--degraded)) }
.blocked > svg { color: var(--quorate-blocked, var(--blocked)) }
.unreachable > svg, .down > svg { color: var(--quorate-unreachable, var(--unreachable)) }

button {
  all: unset; box-sizing: border-box; display: inline-flex; align-items: center; gap: .45em; min-height: 24px; cursor: pointer;
  border-radius: 3px; font-size: inherit; -webkit-tap-highlight-color: transparent;
}
button:focus-visible, a:focus-visible { outline: 2px solid currentColor; outline-offset: 2px }
.word { overflow-wrap: anywhere }
.old .word { opacity: .85; font-style: italic }

#tip {
  position: fixed; inset: auto; margin: 0; box-sizing: border-box; width: max-content; max-width: min(22rem, calc(100vw - 16px));
  padding: .6em .8em; border: 1px solid var(--quorate-tip-line, var(--line)); border-radius: 6px;
  background: var(--quorate-tip-paper, var(--paper)); color: var(--quorate-tip-ink, var(--ink));
  box-shadow: 0 4px 16px #0003; font-size: max(.875em, 12px); font-weight: 400; text-align: start; white-space: normal;
  overflow-wrap: anywhere; z-index: 2147483647;
}
#tip:not(.open) { display: none }
p { margin: 0 }
p + p { margin-top: .35em }
strong { font-weight: 600 }
.more { opacity: .85 }
a { display: inline-block; margin-top: .5em; color: var(--quorate-accent, var(--accent)); text-underline-offset: .2em }

ul { list-style: none; margin: 0; padding: 0 }
li { display: grid; grid-template-columns: auto 1fr; align-items: baseline; column-gap: .5em; padding: .3em 0 }
.name { display: flex; flex-wrap: wrap; column-gap: .6em; justify-content: space-between }
.id { font-weight: 600; overflow-wrap: anywhere }
.country, .text { opacity: .85 }
.text { grid-column: 2; font-size: .9em; overflow-wrap: anywhere }
`;

let made: CSSStyleSheet | undefined;

/** One sheet for all elements of the page. */
export function sheet(): CSSStyleSheet {
  if (!made) {
    made = new CSSStyleSheet();
    made.replaceSync(STYLE);
  }
  return made;
}
