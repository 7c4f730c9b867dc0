//! The ledger: all that is remembered between two reports. Evaluation derives every verdict from it afresh.
//!
//! Pairs lie dense, one row for each witness, because every report walks along one row, and an evaluation can walk along all
//! of them at once. A row holds only entry points that its witness ever gave evidence on, so a planned mesh costs what is
//! planned.

use alloc::vec::Vec;
use core::time::Duration;

use crate::fleet::{EntryIx, Fleet, ServerIx};
use crate::lane::{Lane, LaneSet};
use crate::policy::Policy;
use crate::report::{Health, Sequence};
use crate::scope::Scopes;
use crate::streak::Pair;
use crate::time::Moment;

pub(crate) use self::row::Row;

mod row;

/// The folded state of a fleet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ledger {
    /// By server index: what it knows as a witness.
    pub(crate) rows: Vec<Row>,
    /// By entry point index: whether a report changed what is said of it since the last evaluation.
    pub(crate) touched: Vec<bool>,
    /// By server index.
    pub(crate) servers: Vec<ServerState>,
    /// By server index: when its last report was observed, if that said it is well. What R3 asks for every single outcome.
    pub(crate) well_at: Vec<Option<Moment>>,
    /// By entry point index: the verdicts that stand (R14).
    pub(crate) standing: Vec<Standing>,
    /// When this aggregator began to listen, or resumed after a pause of its own (R6).
    pub(crate) evaluation_started_at: Moment,
    /// When it was last evaluated: an evaluator may have dropped what was stale by then.
    pub(crate) evaluated_at: Moment,
    /// Whether a server's health or last round changed since then.
    pub(crate) rounds_touched: bool,
}

/// What is known of one server as a witness and by its self-check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerState {
    /// When it joined the fleet (R6).
    pub added_at: Moment,
    /// When its last report was observed.
    pub last_report_at: Option<Moment>,
    /// What the last report said of itself.
    pub health: Health,
    /// The last report folded (R2).
    pub sequence: Option<Sequence>,
    /// Its last round, by lane (R3).
    pub round: [LaneRound; Lane::COUNT],
}

/// One lane of a witness's last round (R3).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LaneRound {
    /// How many neighbours it had, and how many it saw.
    pub sight: Sight,
    /// Whether it saw too few of them to be believed.
    pub discredited: bool,
    /// Its neighbours, ascending; kept of a discredited round only, for R12.
    pub neighbours: Vec<ServerIx>,
    /// Those it did not see, ascending; kept of a discredited round only.
    pub unseen: Vec<ServerIx>,
}

/// How many neighbours a witness had on a lane in its last round, and how many of them it saw (R3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sight {
    /// K of R3.
    pub neighbours: u32,
    /// S of R3.
    pub seen: u32,
}

/// The verdicts that stood at the last evaluation (R14).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Standing {
    /// Where it was unreachable.
    pub unreachable: Scopes,
    /// Where it was blocked.
    pub blocked: Scopes,
}

impl Standing {
    /// Whether nothing stands.
    pub fn is_empty(&self) -> bool {
        self.unreachable.is_empty() && self.blocked.is_empty()
    }
}

impl ServerState {
    /// A server that joined and was not heard of yet.
    pub fn new(added_at: Moment) -> Self {
        Self { added_at, last_report_at: None, health: Health::Ok, sequence: None, round: Default::default() }
    }

    /// Whether its last report said that it is down, and is not older than `hold_for` (R6).
    pub(crate) fn is_down(&self, policy: &Policy, now: Moment) -> bool {
        self.health == Health::Down && self.last_report_at.is_some_and(|last| now.since(last) <= policy.hold_for)
    }

    /// Lanes on which its last round was discredited.
    pub fn discredited(&self) -> LaneSet {
        Lane::ALL.into_iter().filter(|lane| self.round[lane.index()].discredited).collect()
    }
}

impl Ledger {
    /// An empty ledger: every server joined at `now`, and listening begins.
    pub fn new(fleet: &Fleet, now: Moment) -> Self {
        Self {
            rows: fleet.server_ixs().map(|_| Row::default()).collect(),
            touched: fleet.entry_ixs().map(|_| false).collect(),
            servers: fleet.server_ixs().map(|_| ServerState::new(now)).collect(),
            well_at: fleet.server_ixs().map(|_| None).collect(),
            standing: fleet.entry_ixs().map(|_| Standing::default()).collect(),
            evaluation_started_at: now,
            evaluated_at: Moment::ZERO,
            rounds_touched: true,
        }
    }

    /// This aggregator was stopped, starved or cut off, and listens again from `now` on (R6).
    pub fn resume(&mut self, now: Moment) {
        self.evaluation_started_at = now;
    }

    /// The clock that all moments here were read from was moved ahead by so much: what was seen is no older for it.
    pub fn put_off(&mut self, by: Duration) {
        self.touched.fill(true);
        self.rows.iter_mut().for_each(|row| row.put_off(by));
        for server in &mut self.servers {
            server.added_at = server.added_at.after(by);
            server.last_report_at = server.last_report_at.map(|at| at.after(by));
        }
        for at in self.well_at.iter_mut().flatten() {
            *at = at.after(by);
        }
        self.rounds_touched = true;
    }

    /// When this aggregator began to listen, or resumed (R6).
    pub fn evaluation_started_at(&self) -> Moment {
        self.evaluation_started_at
    }

    /// The evidence of a witness on an entry point.
    pub fn pair(&self, witness: ServerIx, entry_point: EntryIx) -> Pair {
        self.rows[witness.at()].get(entry_point)
    }

    /// All evidence of a witness, by entry point. Who wants all pairs goes by this.
    pub fn row(&self, witness: ServerIx) -> impl Iterator<Item = (EntryIx, Pair)> {
        self.rows[witness.at()].iter()
    }

    /// All evidence on one entry point, by witness: a look into every row.
    pub fn column(&self, entry_point: EntryIx) -> impl Iterator<Item = (ServerIx, Pair)> {
        let pairs = (0..).map(ServerIx).zip(&self.rows).map(move |(witness, row)| (witness, row.get(entry_point)));
        pairs.filter(|(_, pair)| *pair != Pair::UNKNOWN)
    }

    /// What is known of a server.
    pub fn server(&self, ix: ServerIx) -> &ServerState {
        &self.servers[ix.at()]
    }

    /// The verdicts that stood on an entry point at the last evaluation (R14).
    pub fn standing(&self, entry_point: EntryIx) -> &Standing {
        &self.standing[entry_point.at()]
    }

    /// Puts back what was stored of a server.
    pub fn restore_server(&mut self, ix: ServerIx, state: ServerState) {
        self.servers[ix.at()] = state;
        self.note_health(ix);
    }

    /// To be called when a server's health or last report changed.
    pub(crate) fn note_health(&mut self, ix: ServerIx) {
        let state = &self.servers[ix.at()];
        self.well_at[ix.at()] = state.last_report_at.filter(|_| state.health == Health::Ok);
    }

    /// Puts back what was stored of a pair.
    pub fn restore_pair(&mut self, witness: ServerIx, entry_point: EntryIx, pair: Pair) {
        self.rows[witness.at()].put(entry_point, pair);
        self.touched[entry_point.at()] = true;
    }

    /// Puts back the verdicts that stood.
    pub fn restore_standing(&mut self, entry_point: EntryIx, standing: Standing) {
        self.standing[entry_point.at()] = standing;
    }

    /// The same ledger over another fleet (R2): an entry point that keeps its id, server, lane, address and probe keeps its
    /// evidence and standing verdicts, a server that keeps its id its reports and its last round. What is new joins at
    /// `now`; what is gone is forgotten.
    #[must_use]
    pub fn over(&self, old: &Fleet, new: &Fleet, now: Moment) -> Self {
        let moved: Vec<Option<ServerIx>> = old.servers().iter().map(|server| new.find_server(&server.id)).collect();
        let mut next = Self::new(new, now);
        next.evaluation_started_at = self.evaluation_started_at;
        for (state, to) in self.servers.iter().zip(&moved) {
            if let Some(to) = to {
                let mut state = state.clone();
                for round in &mut state.round {
                    round.neighbours = relocated(&round.neighbours, &moved);
                    round.unseen = relocated(&round.unseen, &moved);
                }
                next.restore_server(*to, state);
            }
        }
        let kept: Vec<Option<EntryIx>> = old.entry_ixs().map(|ix| kept(old, ix, new)).collect();
        for (standing, to) in self.standing.iter().zip(&kept) {
            if let Some(to) = to {
                next.standing[to.at()] = standing.clone();
            }
        }
        for (row, to) in self.rows.iter().zip(&moved) {
            let Some(to) = to else { continue };
            let row_kept = row.iter().filter_map(|(ix, pair)| Some((kept[ix.at()]?, pair)));
            row_kept.for_each(|(ix, pair)| next.rows[to.at()].put(ix, pair));
        }
        next
    }
}

/// Where an entry point went, if it still is what the evidence was gathered on.
fn kept(old: &Fleet, ix: EntryIx, new: &Fleet) -> Option<EntryIx> {
    let before = old.entry_point(ix);
    let to = new.find_entry_point(&before.id)?;
    let after = new.entry_point(to);
    let same = old.owner(ix).id == new.owner(to).id
        && before.lane == after.lane
        && before.address == after.address
        && before.probe == after.probe;
    same.then_some(to)
}

fn relocated(servers: &[ServerIx], moved: &[Option<ServerIx>]) -> Vec<ServerIx> {
    // Indices follow the order of ids in both fleets, so what was ascending stays ascending.
    servers.iter().filter_map(|server| moved[server.at()]).collect()
}
