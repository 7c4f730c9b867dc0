//! Why the session goes through the edge it goes through, and what would change that: as data and in sentences.

use alloc::string::String;
use alloc::vec::Vec;

use super::memory::{Memory, Ranked, Seat};
use super::timing::Timing;
use crate::time::Moment;

/// How a moment is put into words; must read well after "since" and "at".
pub type When<'a> = &'a dyn Fn(Moment) -> String;

/// What an operator is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The edge under the session, while there is one.
    pub seat: Option<Seat>,
    /// Every edge of the set, in the order in which they come.
    pub edges: Vec<Ranked>,
    /// What is to be said, each with its full stop.
    pub sentences: Vec<String>,
}

/// Explains a memory: the one that an agent last wrote, or [`Chooser::memory`](super::Chooser::memory).
pub fn explain(memory: &Memory, _timing: &Timing, _when: When<'_>) -> Explanation {
    let is_in_set = |edge: &&Ranked| memory.addresses.contains(&edge.address);
    let edges: Vec<Ranked> = memory.ranking.iter().filter(is_in_set).copied().collect();
    Explanation { seat: memory.seat, edges, sentences: Vec::new() }
}
