//! R14 · What stands, in the words in which it is written down: in rows of its own and in keyframes.

use quorate_core::fleet::Fleet;
use quorate_core::ledger::{Ledger, Standing};
use quorate_core::verdict::{Scope, Scopes};

/// The scopes in words.
pub(super) fn words(scopes: &Scopes) -> Vec<String> {
    scopes.iter().map(ToString::to_string).collect()
}

/// What stands on entry points of the fleet; the others have nothing.
pub(super) fn standing<'a>(fleet: &'a Fleet, ledger: &'a Ledger) -> impl Iterator<Item = (&'a str, &'a Standing)> {
    let all = fleet.entry_ixs().map(|ix| (fleet.entry_point(ix).id.as_str(), ledger.standing(ix)));
    all.filter(|(_, standing)| !standing.is_empty())
}

/// Lets it stand again; nothing, if the entry point is gone. A word that this version does not know is left out.
pub(super) fn restore(
    ledger: &mut Ledger,
    fleet: &Fleet,
    entry_point: &str,
    unreachable: &[String],
    blocked: &[String],
) {
    if let Some(ix) = fleet.find_entry_point(entry_point) {
        let standing = Standing { unreachable: scopes(unreachable), blocked: scopes(blocked) };
        ledger.restore_standing(ix, standing);
    }
}

fn scopes(words: &[String]) -> Scopes {
    words.iter().filter_map(|word| scope(word)).collect()
}

fn scope(word: &str) -> Option<Scope> {
    if word == "fleet" { Some(Scope::Fleet) } else { word.parse().ok().map(Scope::Country) }
}
