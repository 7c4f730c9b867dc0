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

/// While something was wrong with the world: a host, a link, a witness, whether or not an entry point died of it. A broken
/// pair and a blind witness are troubles without a single turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trouble {
    /// When it began.
    pub from: Moment,
    /// When it was over; the end of the tape, if it never was.
    pub until: Moment,
}

/// All that was really so.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Truth {
    /// Ascending in time; an entry point without one was well throughout.
    pub turns: Vec<Turn>,
    /// In any order. What overlaps is one incident to the scoreboard, and what is dead is in trouble, listed here or not.
    pub troubles: Vec<Trouble>,
}
