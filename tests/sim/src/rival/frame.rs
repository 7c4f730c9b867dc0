//! What every rival does alike: it takes each report once, follows the fleet, and says what it found.
//!
//! A rival's own transport would drop a repeated message, so a report whose number is not new is dropped for all of them, and
//! so are outcomes that are evidence of nothing: a server's about itself, and those about servers that are switched off.

use std::collections::BTreeSet;
use std::sync::Arc;

use quorate_core::fleet::{EntryIx, Fleet, Intent};
use quorate_core::report::{Report, Sequence};
use quorate_core::time::Moment;

use super::mesh::{Mesh, Moves};
use crate::detector::{Detector, Findings};
use crate::tape::{Setting, Step};

/// What is particular to a rival.
pub(super) trait Rule {
    /// Takes a report that was not taken before, of a server that is not switched off.
    fn hear(&mut self, mesh: &Mesh, report: &Report);
    /// The fleet is another one from now on.
    fn follow(&mut self, new: &Mesh, moves: &Moves, at: Moment);
    /// The aggregator was away until now.
    fn resume(&mut self, _at: Moment) {}
    /// Whether what it found last still holds: nothing was heard since that could change it, and time alone does not yet.
    fn is_settled(&self, mesh: &Mesh, at: Moment) -> bool;
    /// Says what it finds now; `found` has room for each entry point, and nothing in it.
    fn judge(&mut self, mesh: &Mesh, at: Moment, found: &mut Found);
    /// What becomes of a route none of whose entry points it leaves.
    fn floor(&self) -> Floor {
        Floor::None
    }
}

/// What a rival does when it would deliver nothing at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Floor {
    /// Nothing: the route is empty. A floor within the rule itself needs no other.
    None,
    /// All unhealthy is taken for all healthy.
    AllOrNothing,
}

/// What a rule found, by entry point.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Found {
    pub removed: Vec<bool>,
    pub doubted: Vec<bool>,
}

/// A rule as a detector.
pub(super) struct Rival<R> {
    name: &'static str,
    mesh: Mesh,
    taken: Vec<Option<Sequence>>,
    rule: R,
    found: Found,
    scratch: Found,
    findings: Findings,
    /// It was not asked yet since the fleet is as it is.
    is_new: bool,
}

impl<R: Rule> Rival<R> {
    pub fn new(name: &'static str, setting: &Setting, rule: R) -> Self {
        let mesh = Mesh::new(setting.fleet.clone());
        let taken = vec![None; setting.fleet.servers().len()];
        let mut rival = Self {
            name,
            mesh,
            taken,
            rule,
            found: Found::default(),
            scratch: Found::default(),
            findings: Findings::default(),
            is_new: true,
        };
        rival.tell(Found { removed: rival.mesh.column(false), doubted: rival.mesh.column(false) });
        rival
    }

    fn hear(&mut self, report: &Report) {
        let last = &mut self.taken[report.witness.at()];
        if let (Some(new), Some(old)) = (&report.sequence, &*last)
            && new.outbox == old.outbox
            && new.number <= old.number
        {
            return;
        }
        if report.sequence.is_some() {
            last.clone_from(&report.sequence);
        }
        if self.mesh.probes(report.witness) {
            self.mesh.plan.take(report);
            self.rule.hear(&self.mesh, report);
        }
    }

    fn follow(&mut self, fleet: Arc<Fleet>, at: Moment) {
        let mut new = Mesh::new(fleet);
        let moves = self.mesh.moves_to(&new);
        new.plan = self.mesh.plan.over(new.size(), &moves);
        self.taken = moves.move_servers(&self.taken, vec![None; new.fleet.servers().len()]);
        self.rule.follow(&new, &moves, at);
        self.mesh = new;
        self.found = Found::default();
        self.is_new = true;
    }

    fn judge(&mut self, at: Moment) {
        if !self.is_new && self.rule.is_settled(&self.mesh, at) {
            return;
        }
        self.is_new = false;
        let mut found = std::mem::take(&mut self.scratch);
        for column in [&mut found.removed, &mut found.doubted] {
            column.clear();
            column.resize(self.mesh.fleet.entry_points().len(), false);
        }
        self.rule.judge(&self.mesh, at, &mut found);
        if found == self.found { self.scratch = found } else { self.tell(found) }
    }

    fn tell(&mut self, found: Found) {
        let set = |column: &[bool]| -> BTreeSet<EntryIx> {
            self.mesh.fleet.entry_ixs().filter(|ix| column[ix.at()]).collect()
        };
        let delivered = delivered(&self.mesh.fleet, &found.removed, self.rule.floor());
        self.findings = Findings { removed: set(&found.removed), doubted: set(&found.doubted), delivered };
        self.scratch = std::mem::replace(&mut self.found, found);
    }
}

/// What each route is left with: the entry points of its active servers that were not removed.
fn delivered(fleet: &Fleet, removed: &[bool], floor: Floor) -> Vec<Vec<EntryIx>> {
    let of_route = |entry_points: &[EntryIx]| {
        let active = entry_points.iter().copied().filter(|ix| fleet.owner(*ix).intent == Intent::Active);
        let left: Vec<EntryIx> = active.clone().filter(|ix| !removed[ix.at()]).collect();
        match floor {
            Floor::AllOrNothing if left.is_empty() => active.collect(),
            Floor::AllOrNothing | Floor::None => left,
        }
    };
    fleet.routes().iter().map(|route| of_route(&route.entry_points)).collect()
}

impl<R: Rule> Detector for Rival<R> {
    fn name(&self) -> &str {
        self.name
    }

    fn take(&mut self, at: Moment, step: &Step) {
        match step {
            Step::Report(report) => self.hear(report),
            Step::Fleet(fleet) => self.follow(fleet.clone(), at),
            Step::Resumed => self.rule.resume(at),
            Step::Judge => self.judge(at),
        }
    }

    fn findings(&self) -> &Findings {
        &self.findings
    }
}
