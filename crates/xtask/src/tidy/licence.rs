//! SPDX licence expressions: whether one can be met with an allowed set. `OR` needs one side, `AND` both; `/` is the old
//! way to write `OR`; an exception (`WITH`) only adds rights.

use std::collections::BTreeSet;

/// Whether `expression` can be met with licences in `allowed` alone. What cannot be read cannot be met.
pub fn is_met(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    any_of(&mut rest, allowed) == Some(true) && rest.is_empty()
}

fn any_of(words: &mut &[&str], allowed: &BTreeSet<String>) -> Option<bool> {
    let mut met = all_of(words, allowed)?;
    while take(words, "OR") {
        met |= all_of(words, allowed)?;
    }
    Some(met)
}

fn all_of(words: &mut &[&str], allowed: &BTreeSet<String>) -> Option<bool> {
    let mut met = one(words, allowed)?;
    while take(words, "AND") {
        met &= one(words, allowed)?;
    }
    Some(met)
}

fn one(words: &mut &[&str], allowed: &BTreeSet<String>) -> Option<bool> {
    if take(words, "(") {
        let met = any_of(words, allowed)?;
        return take(words, ")").then_some(met);
    }
    let (name, rest) = words.split_first()?;
    *words = rest;
    if take(words, "WITH") {
        *words = words.split_first()?.1;
    }
    Some(allowed.contains(*name))
}

fn take(words: &mut &[&str], word: &str) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    let taken = *first == word;
    if taken {
        *words = rest;
    }
    taken
}
