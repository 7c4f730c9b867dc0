//! What is said of each status and state, read by somebody who never saw the rules.

#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes them so")]

use alloc::format;
use alloc::string::{String, ToString};

use expect_test::Expect;

use super::Sentence;
use crate::label;
use crate::tests::timeline::World;
use crate::time::Moment;

mod guide;
mod out_of_reach;
mod pairs;
mod quorums;
mod statuses;
mod witnesses;

/// A badge, and the explanation under it.
pub(super) fn told(world: &World, id: &str) -> String {
    let when = |at: Moment| format!("{:02}:{:02}", at.as_ms() / 60_000, at.as_ms() / 1000 % 60);
    let (fleet, policy, verdicts) = (&world.fleet, &world.policy, world.evaluator.verdicts());
    let (head, said) = match (fleet.find_server(id), fleet.find_entry_point(id)) {
        (Some(ix), _) => {
            (label::badge(fleet, verdicts, ix).to_string(), super::server(fleet, policy, verdicts, ix, &when))
        }
        (None, ix) => {
            let ix = ix.unwrap_or_else(|| panic!("no server and no entry point {id}"));
            (String::from("-"), super::entry_point(fleet, policy, verdicts, ix, &when))
        }
    };
    said.sentences().fold(format!("({head})\n"), |text, sentence| text + &Sentence::to_string(sentence) + "\n")
}

pub(super) fn check(world: &World, id: &str, expected: &Expect) {
    expected.assert_eq(&told(world, id));
}

pub(super) const FIVE: &str = "
    nl-1 NL
    nl-2 NL
    de-1 DE
    ru-1 RU
    ru-2 RU
";
