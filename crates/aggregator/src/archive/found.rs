//! One earlier moment, and what it rests on.

use quorate_core::time::Moment;

use super::base::Footing;
use super::past::Past;

/// A folded moment.
#[derive(Debug)]
pub struct Found {
    /// The moment that was asked for; none for one that was passed on the way to another.
    pub(super) asked: Option<Moment>,
    /// The fleet then.
    pub past: Past,
    /// What it rests on.
    pub footing: Footing,
    /// Where folding began.
    pub from: Moment,
    /// If the aggregator did not run at the moment asked for: since when. The fleet is that of the last moment before.
    pub stopped_since: Option<Moment>,
}
