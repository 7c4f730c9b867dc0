//! Faults on real processes, each by its name: what is done to them, and what came of it.

mod database;
mod descriptors;
mod disk;
mod finding;
mod flood;
mod folded;
mod holes;
mod kills;
mod soak;
mod stage;
mod time;
mod versions;

use std::time::Duration;

use quorate_tests::fleet::{NEEDS, Pace};
use quorate_tests::machine::Need;
use quorate_tests::{decoy, postgres, vpn, wall};

pub use self::finding::Finding;

/// How much of it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As often as CI can wait for.
    Short,
    /// As often as it takes to believe it.
    Long,
}

impl Form {
    /// By its word.
    pub fn named(word: &str) -> Option<Self> {
        match word {
            "short" => Some(Self::Short),
            "long" => Some(Self::Long),
            _ => None,
        }
    }
}

/// What a fault is asked to do.
#[derive(Debug, Clone, Copy)]
pub struct Ask {
    /// How much.
    pub form: Form,
    /// What the random instants follow from.
    pub seed: u64,
}

impl Ask {
    /// A number for each form.
    pub const fn times<T: Copy>(&self, short: T, long: T) -> T {
        match self.form {
            Form::Short => short,
            Form::Long => long,
        }
    }
}

/// A fault.
pub struct Fault {
    /// As `--only` takes it.
    pub name: &'static str,
    /// What it wants of the machine beside namespaces.
    pub needs: &'static [Need],
    /// Does it, and says what came of it: one finding for each thing that was done.
    pub run: fn(&Ask) -> Vec<Finding>,
}

/// In the order in which they are run.
pub const ALL: &[Fault] = &[
    Fault { name: "kills", needs: NEEDS, run: kills::run },
    Fault { name: "disk", needs: NEEDS, run: disk::run },
    Fault { name: "database", needs: WITH_POSTGRES, run: database::run },
    Fault { name: "descriptors", needs: NEEDS, run: descriptors::run },
    Fault { name: "stops", needs: NEEDS, run: time::stops },
    Fault { name: "clocks", needs: WITH_CLOCKS, run: time::clock_steps },
    Fault { name: "flood", needs: NEEDS, run: flood::run },
    Fault { name: "holes", needs: &[], run: holes::run },
    Fault { name: "versions", needs: NEEDS, run: versions::run },
    Fault { name: "soak", needs: NEEDS, run: soak::run },
];

const WITH_POSTGRES: &[Need] = &[decoy::available, || vpn::binary().map(drop), postgres::available];
const WITH_CLOCKS: &[Need] = &[decoy::available, || vpn::binary().map(drop), wall::available];

/// Rounds are 60 times shorter than documented, so that many of them pass while something is broken. What silence means is
/// not scaled: how patiently an agent dials a gateway that is gone is not either, and the one was chosen for the other.
const PACE: Pace = Pace {
    round: Duration::from_secs(1),
    stale_after: Duration::from_secs(180),
    hold_for: Duration::from_secs(900),
    ..Pace::LAB
};
