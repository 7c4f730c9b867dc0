//! What was really the case with each entry point: what a detector is scored by, and never sees.

use quorate_core::fleet::{Country, EntryIx};
use quorate_core::time::Moment;

/// How an entry point is for those who would use it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plight {
    /// Its users reach it: who takes it away blames the wrong side.
    Well,
    /// Nobody reaches it: who leaves it in lets users down.
    Dead,
    /// Users of these countries alone do not reach it.
    DeadFor(Vec<Country>),
    /// It is its operator's to say whether it counts as alive; it is left out of every figure.
    Undecided,
}

/// From when on an entry point was in a plight, until its next one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// When it began.
    pub at: Moment,
    /// Which entry point, by the fleet of the setting.
    pub entry_point: EntryIx,
    /// What it was from then on.
    pub plight: Plight,
}

/// All turns, by time; an entry point without one was well throughout.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Truth {
    /// Ascending in time.
    pub turns: Vec<Turn>,
}
