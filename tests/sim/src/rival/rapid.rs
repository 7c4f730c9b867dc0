//! Rapid: observers on K rings watch a process, and a cut of processes leaves the membership when H alerts stand against each
//! of them and none is between L and H.
//!
//! Built so that a large cluster changes its membership rarely, all at once and unanimously, also when processes or links are
//! half broken. Source: Suresh et al., "Stable and Consistent Membership at Scale with Rapid", USENIX ATC 2018, §4 to §6
//! (<https://www.usenix.org/conference/atc18/presentation/suresh>), and its implementation
//! (<https://github.com/lalithsuresh/rapid>: `MultiNodeCutDetector`, `MembershipView`, `MembershipService`).
//!
//! - K = 10, H = 9, L = 3. On each ring, a pseudo-random order of the members, a process is observed by its neighbour, here by
//!   the nearest that looks at it; one that is its neighbour on several rings has an alert for each.
//! - An edge is faulty when 4 of its last 10 probes failed, and the alert is irrevocable until the membership changes.
//! - A cut is proposed when some process has H alerts and none has L or more but fewer than H; it takes all that have H.
//! - Implicit alerts: an observer that has L alerts itself counts as one that alerts about a process that has L.
//! - Reinforcement: of a process that stays between L and H for a time that the paper leaves open, here ten probes as long as
//!   an edge's memory, all observers alert. The implementation has none of it.
//! - A process that leaves tells its observers, who alert at once.
//! - With a change all alerts are gone. An edge that stays (all but those of who came or went, §4.1) remembers its probes, and
//!   alerts again with its next one if it has reason to. The implementation makes all edges anew, which finds a second group of
//!   crashes four rounds later.
//! - Who was removed joins again through K observers, in the same way.
//!
//! This is the logically centralized form (§5): the aggregator is the ensemble that keeps the membership, so agreement among
//! the members is none of its matter. An entry point is a process to those who observe it; its server observes, and is a member
//! while one of its entry points is. A removed entry point asks to join in every round in which its server does not say that it is
//! down, and an observer lets it in if it reached it since the last change; a join counts when H observers do. Below H such
//! asking would hold up all other changes, which is spared it here.

mod edge;
pub(in crate::rival) mod rings;

use std::time::Duration;

use quorate_core::fleet::{EntryIx, ServerIx};
use quorate_core::outcome::Evidence;
use quorate_core::report::{Health, Report};
use quorate_core::time::Moment;

use self::edge::Edge;
use self::rings::Rings;
use super::frame::{Found, Rule};
use super::mesh::{Grid, Mesh, Moves};
use super::tuning::Rounds;
use crate::tape::Setting;

/// Rings.
const K: usize = 10;
/// Alerts that are believed.
const H: usize = 9;
/// Alerts that are more than noise.
const L: usize = 3;
/// 40 % of the last ten.
const FAILURES: Rounds = 4;
/// How long a process may stay between L and H, in rounds.
const REINFORCED_AFTER: u32 = 10;

/// The rule.
pub(super) struct Rapid {
    failures: Rounds,
    reinforced_after: Duration,
    edges: Grid<Edge>,
    rings: Rings,
    /// The plan that the rings are made for.
    planned: u64,
    /// By entry point.
    subjects: Vec<Subject>,
    /// By server: its last word on itself.
    leaving: Vec<bool>,
    /// An edge failed, a server left, somebody is between the marks or asks to join, since it was last asked.
    is_stirred: bool,
}

/// A process.
#[derive(Debug, Clone, Copy)]
struct Subject {
    is_member: bool,
    /// Since when it has L alerts and fewer than H.
    unstable_since: Option<Moment>,
}

const MEMBER: Subject = Subject { is_member: true, unstable_since: None };

impl Rapid {
    /// `knob`: failures among an edge's last ten probes.
    pub fn new(setting: &Setting, knob: Option<Rounds>) -> Self {
        let mesh = Mesh::new(setting.fleet.clone());
        let subjects = mesh.column(MEMBER);
        Self {
            failures: knob.unwrap_or(FAILURES),
            reinforced_after: setting.interval * REINFORCED_AFTER,
            edges: mesh.grid(Edge::default()),
            rings: Rings::new(&mesh, K, |_| true),
            planned: mesh.plan.version,
            subjects,
            leaving: vec![false; mesh.fleet.servers().len()],
            is_stirred: true,
        }
    }

    /// How many alerts stand against each member.
    fn tallies(&self, mesh: &Mesh, at: Moment) -> Vec<usize> {
        let mut tallies = mesh.column(0);
        for ix in mesh.judged().filter(|ix| self.subjects[ix.at()].is_member) {
            let observers = self.rings.observers(ix);
            let since = self.subjects[ix.at()].unstable_since;
            let is_reinforced = since.is_some_and(|since| at.since(since) >= self.reinforced_after);
            tallies[ix.at()] = if self.leaving[mesh.owner(ix).at()] || is_reinforced {
                observers.len()
            } else {
                observers.iter().filter(|observer| self.edges.get(**observer, ix).is_faulty()).count()
            };
        }
        while self.add_implicit(mesh, &mut tallies) {}
        tallies
    }

    /// Counts the implicit alerts; returns whether that made any more.
    fn add_implicit(&self, mesh: &Mesh, tallies: &mut [usize]) -> bool {
        let unstable: Vec<EntryIx> = mesh.judged().filter(|ix| is_unstable(tallies[ix.at()])).collect();
        let mut is_more = false;
        for ix in unstable {
            let lane = mesh.fleet.entry_point(ix).lane;
            let in_flux = |observer: ServerIx| {
                let own = mesh.fleet.server(observer).entry_points.iter();
                own.filter(|own| mesh.fleet.entry_point(**own).lane == lane).any(|own| tallies[own.at()] >= L)
            };
            let alerts = |observer: &&ServerIx| self.edges.get(**observer, ix).is_faulty() || in_flux(**observer);
            let tally = self.rings.observers(ix).iter().filter(alerts).count();
            is_more |= tally > tallies[ix.at()];
            tallies[ix.at()] = tallies[ix.at()].max(tally);
        }
        is_more
    }

    /// Whether enough observers let a removed process in again.
    fn may_join(&self, mesh: &Mesh, ix: EntryIx) -> bool {
        let reached = |observer: &&ServerIx| self.edges.get(**observer, ix).was_reached();
        !self.leaving[mesh.owner(ix).at()] && self.rings.observers(ix).iter().filter(reached).count() >= H
    }

    /// The membership changes by `cut`.
    fn change(&mut self, mesh: &Mesh, cut: &[EntryIx]) {
        for ix in cut {
            let is_member = &mut self.subjects[ix.at()].is_member;
            *is_member = !*is_member;
            for witness in mesh.fleet.server_ixs() {
                self.edges.row_mut(witness)[ix.at()] = Edge::default();
            }
        }
        self.begin_anew(mesh);
    }

    /// A new configuration: rings and tallies begin anew.
    fn begin_anew(&mut self, mesh: &Mesh) {
        for edge in self.edges.iter_mut() {
            edge.keep();
        }
        for subject in &mut self.subjects {
            subject.unstable_since = None;
        }
        self.make_rings(mesh);
    }

    fn make_rings(&mut self, mesh: &Mesh) {
        let subjects = &self.subjects;
        self.rings = Rings::new(mesh, K, |ix| subjects[ix.at()].is_member);
        self.planned = mesh.plan.version;
    }
}

fn is_unstable(tally: usize) -> bool {
    (L..H).contains(&tally)
}

impl Rule for Rapid {
    fn hear(&mut self, mesh: &Mesh, report: &Report) {
        let leaves = report.health == Health::Down;
        self.is_stirred |= std::mem::replace(&mut self.leaving[report.witness.at()], leaves) != leaves;
        let failures = self.failures;
        let row = self.edges.row_mut(report.witness);
        for (ix, outcome) in &report.outcomes {
            let failed = match outcome.evidence() {
                Evidence::Reached => false,
                Evidence::Failed => true,
                Evidence::Inconclusive => continue,
            };
            if mesh.is_evidence(report.witness, *ix) {
                self.is_stirred |= row[ix.at()].take(failed, failures);
            }
        }
    }

    fn follow(&mut self, new: &Mesh, moves: &Moves, _at: Moment) {
        self.edges = self.edges.over(new.size(), moves, Edge::default());
        self.subjects = moves.move_column(&self.subjects, new.column(MEMBER));
        self.leaving = moves.move_servers(&self.leaving, vec![false; new.fleet.servers().len()]);
        self.begin_anew(new);
    }

    fn is_settled(&self, mesh: &Mesh, _at: Moment) -> bool {
        !self.is_stirred && self.planned == mesh.plan.version
    }

    fn judge(&mut self, mesh: &Mesh, at: Moment, found: &mut Found) {
        if self.planned != mesh.plan.version {
            self.make_rings(mesh);
        }
        let tallies = self.tallies(mesh, at);
        for (subject, tally) in self.subjects.iter_mut().zip(&tallies) {
            let since = subject.unstable_since.unwrap_or(at);
            subject.unstable_since = is_unstable(*tally).then_some(since);
        }
        if !tallies.iter().any(|tally| is_unstable(*tally)) {
            let joins = |ix: &EntryIx| !self.subjects[ix.at()].is_member && self.may_join(mesh, *ix);
            let cut: Vec<EntryIx> = mesh.judged().filter(|ix| tallies[ix.at()] >= H || joins(ix)).collect();
            if !cut.is_empty() {
                self.change(mesh, &cut);
            }
        }
        self.is_stirred = false;
        for ix in mesh.judged() {
            let subject = &self.subjects[ix.at()];
            found.removed[ix.at()] = !subject.is_member;
            self.is_stirred |= !subject.is_member || subject.unstable_since.is_some();
        }
    }
}
