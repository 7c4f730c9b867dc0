//! What an evaluation says, with the evidence for each word of it. Everything is dense and in the order of ids.

use alloc::vec::Vec;

use crate::fleet::{Country, Fleet, ServerIx, SiteIx};
use crate::lane::{Lane, LaneSet};
use crate::servers::Servers;
use crate::time::Moment;

pub use self::word::{State, Status};
pub use crate::ledger::Sight;
pub use crate::scope::{Scope, Scopes};

mod word;

/// Everything that one evaluation says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verdicts {
    /// When it was evaluated.
    pub at: Moment,
    /// By server index.
    pub servers: Vec<ServerVerdict>,
    /// By entry point index; those of disabled servers have no evidence and state [`State::Clear`].
    pub entry_points: Vec<EntryVerdict>,
    /// By country and lane.
    pub cuts: Vec<CountryCut>,
}

/// The verdict on a server, and all that was found beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerVerdict {
    /// The strongest word that applies.
    pub status: Status,
    /// All words that apply, strongest first, also the ones that `status` outranks.
    pub conditions: Vec<Status>,
    /// R6.
    pub silent: bool,
    /// R6.
    pub down: bool,
    /// When its last report was observed.
    pub last_report_at: Option<Moment>,
    /// Lanes on which its last round was discredited (R3), with what it saw there.
    pub discredited: LaneSet,
    /// What it saw of its neighbours in its last round, by lane (R3).
    pub sight: [Sight; Lane::COUNT],
    /// As a witness (R10), if it is half-blind.
    pub half_blind: Option<HalfBlind>,
}

/// A witness that fails to see too many to be marked one by one (R10).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HalfBlind {
    /// The servers it cannot see.
    pub unseen: Vec<ServerIx>,
    /// How many it judges.
    pub judged: u32,
}

/// The verdict on an entry point with its evidence.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EntryVerdict {
    /// Its server is down.
    pub down: bool,
    /// Whether any knock on it ever told anything.
    pub knocked: bool,
    /// Where `unreachable` holds and is shown (R8, R14); empty: it is not unreachable.
    pub unreachable: Scopes,
    /// Where `blocked` holds and is shown (R9, R14); empty: it is not blocked.
    pub blocked: Scopes,
    /// Verifiers whose word makes it blocked, or holds it so.
    pub blocked_by: Vec<ServerIx>,
    /// R13.
    pub cut_off: bool,
    /// How R8 decided, if a quorum accuses.
    pub accord: Accord,
    /// Voters with a sustained pair on it whose vote is not void (R7).
    pub accusers: Vec<Accuser>,
    /// Servers that see it (R7).
    pub vouchers: Servers,
    /// Sites against it in the whole fleet (R7).
    pub against_sites: Vec<SiteIx>,
    /// Accusations that do not count: the accused verifier cannot see the accuser (R9).
    pub void: Vec<ServerIx>,
    /// Sustained pairs of servers that are no voters on its lane, because their last round was discredited (R3).
    pub discarded: Vec<ServerIx>,
    /// Servers whose last round was discredited on its lane and did not see its server: not believed (R3).
    pub disbelieved: Vec<ServerIx>,
    /// Servers whose earlier accusation still holds (R14).
    pub held: Vec<ServerIx>,
    /// Full series that do not accuse at this moment, whether or not they hold anything (R14).
    pub lapsed: Vec<Lapse>,
    /// Broken pairs (R10).
    pub marks: Vec<Mark>,
}

impl EntryVerdict {
    /// Sites for it in the whole fleet (R7): those of its vouchers, ascending.
    pub fn for_sites(&self, fleet: &Fleet) -> Vec<SiteIx> {
        fleet.sites_of(self.vouchers.iter())
    }

    /// The strongest word that applies.
    pub fn state(&self) -> State {
        if self.down {
            State::Down
        } else if !self.unreachable.is_empty() {
            State::Unreachable
        } else if !self.blocked.is_empty() {
            State::Blocked
        } else if self.cut_off {
            State::CutOff
        } else if self.accord == Accord::Contested {
            State::Contested
        } else if !self.marks.is_empty() {
            State::PairBroken
        } else {
            State::Clear
        }
    }
}

/// How R8 decided on an entry point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Accord {
    /// No quorum accuses it.
    #[default]
    None,
    /// R8.1: a quorum of servers that are themselves beyond doubt accuses it.
    Outside,
    /// R8.2: a whole country cannot reach it, and its accusers are not blocked themselves.
    Coherent,
    /// R8.3: it is accused by servers that are themselves unreachable; no verdict.
    Explained,
    /// R8.4: two groups accuse each other; marked, not removed.
    Contested,
}

/// One server's sustained accusation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accuser {
    /// Who accuses.
    pub witness: ServerIx,
    /// First failure of the series.
    pub since: Moment,
    /// Failures in a row.
    pub streak: u16,
}

/// A full series of failures that accused once, and does not now: its witness is silent, lost its vote on the lane, or has
/// not looked again (R14).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lapse {
    /// Whose.
    pub witness: ServerIx,
    /// First failure of the series.
    pub since: Moment,
    /// Failures in a row.
    pub streak: u16,
    /// Its last counted failure.
    pub last_evidence_at: Moment,
    /// Whether that is at most `hold_for` ago.
    pub within_hold: bool,
}

/// One broken pair, said on the side that the probe does not reach (R10).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// Who cannot see the entry point.
    pub witness: ServerIx,
    /// Whether the entry point's server cannot see the witness either.
    pub mutual: bool,
}

/// A country most of whose witnesses lost sight of the same servers at once (R12).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountryCut {
    /// The country.
    pub country: Country,
    /// The lane.
    pub lane: Lane,
    /// Its discredited witnesses that tell of it.
    pub witnesses: Vec<ServerIx>,
    /// Servers that they lost.
    pub targets: Vec<ServerIx>,
}
