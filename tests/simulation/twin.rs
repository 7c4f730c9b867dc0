//! The undisturbed twin: it folds what the store has, each report once and in order, is never restarted, and must say at each
//! moment what the aggregator publishes.
//!
//! It is made of `quorate-core` alone and knows from the simulation what each report says, so that nothing of the way from
//! the wire to the verdict is believed twice.

use std::collections::BTreeMap;
use std::sync::Arc;

use quorate_aggregator::engine::Snapshot;
use quorate_aggregator::store::ArchivedReport;
use quorate_core::evaluate::Evaluator;
use quorate_core::fleet::Fleet;
use quorate_core::ledger::{Ledger, Standing};
use quorate_core::outcome::Outcome;
use quorate_core::report::{Health, Report, Sequence};
use quorate_core::time::Moment;
use quorate_core::verdict::Verdicts;

/// What a round found, as the simulation knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    pub server: String,
    /// What was knocked on, how it was dialled, and how it went.
    pub outcomes: Vec<(String, String, Outcome)>,
    pub health: Health,
}

/// The twin. It begins with the first snapshot.
#[derive(Default)]
pub struct Twin(Option<Folded>);

struct Folded {
    version: u64,
    fleet: Arc<Fleet>,
    ledger: Ledger,
    evaluator: Evaluator,
    through: u64,
}

impl Twin {
    /// The last report folded.
    pub fn through(&self) -> u64 {
        self.0.as_ref().map_or(0, |folded| folded.through)
    }

    /// Follows the aggregator to its newest snapshot; `reports` are those behind [`Self::through`], `said` what they say.
    /// The error tells how the two differ.
    pub fn follow(
        &mut self,
        snapshot: &Snapshot,
        reports: &[ArchivedReport],
        said: &BTreeMap<u64, Said>,
    ) -> Result<(), String> {
        let folded = self.0.get_or_insert_with(|| Folded {
            version: snapshot.inventory_version,
            fleet: Arc::clone(&snapshot.fleet),
            ledger: Ledger::new(&snapshot.fleet, snapshot.evaluation_started_at),
            evaluator: Evaluator::default(),
            through: 0,
        });
        if snapshot.through < folded.through {
            return Err(format!("{} reports were folded, and then {}", folded.through, snapshot.through));
        }
        for report in reports.iter().filter(|report| report.id <= snapshot.through) {
            folded.fold(snapshot, report, said)?;
        }
        if folded.through != snapshot.through {
            return Err(format!("report {} was folded and is not in the store", snapshot.through));
        }
        if folded.version != snapshot.inventory_version {
            folded.ledger = folded.ledger.over(&folded.fleet, &snapshot.fleet, snapshot.at);
            folded.fleet = Arc::clone(&snapshot.fleet);
            folded.version = snapshot.inventory_version;
            folded.evaluator = Evaluator::default();
        }
        folded.ledger.resume(snapshot.evaluation_started_at);
        let Folded { fleet, ledger, evaluator, .. } = folded;
        evaluator.evaluate(fleet, &snapshot.policy, ledger, snapshot.at);
        match difference(fleet, evaluator.verdicts(), &snapshot.verdicts) {
            None => Ok(()),
            Some(difference) => Err(format!("at {} ms {difference}", snapshot.at.as_ms())),
        }
    }

    /// What stands, by entry point.
    pub fn standing(&self) -> BTreeMap<String, Standing> {
        let Some(Folded { fleet, ledger, .. }) = &self.0 else { return BTreeMap::new() };
        let all = fleet.entry_ixs().map(|ix| (fleet.entry_point(ix).id.clone(), ledger.standing(ix).clone()));
        all.filter(|(_, standing)| !standing.is_empty()).collect()
    }

    /// Lets stand what the aggregator had written down when it died before anybody could see it.
    pub fn stands(&mut self, written: &BTreeMap<String, Standing>) {
        let Some(Folded { fleet, ledger, .. }) = &mut self.0 else { return };
        for ix in fleet.entry_ixs() {
            let standing = written.get(&fleet.entry_point(ix).id).cloned().unwrap_or_default();
            ledger.restore_standing(ix, standing);
        }
    }
}

impl Folded {
    fn fold(&mut self, snapshot: &Snapshot, row: &ArchivedReport, said: &BTreeMap<u64, Said>) -> Result<(), String> {
        let report = crate::letter::read(&row.payload)?;
        let said = said.get(&report.serial).ok_or_else(|| format!("nobody made report {}", report.serial))?;
        self.through = row.id;
        let Some(witness) = self.fleet.find_server(&row.server) else { return Ok(()) };
        let last = self.ledger.server(witness).last_report_at.unwrap_or(Moment::ZERO);
        let outcomes = said.outcomes.iter().filter_map(|(entry_point, dialled, outcome)| {
            let ix = self.fleet.find_entry_point(entry_point)?;
            (crate::letter::dialled(&self.fleet, ix).as_ref() == Some(dialled)).then_some((ix, *outcome))
        });
        let folding = Report {
            witness,
            observed_at: row.observed_at.min(row.received_at).max(last),
            health: said.health,
            outcomes: outcomes.collect(),
            sequence: Some(Sequence { outbox: hex(&row.outbox), number: row.sequence }),
        };
        if said.outcomes.is_empty() {
            self.ledger.fold_heartbeat(&folding);
        } else {
            self.ledger.fold(&self.fleet, &snapshot.policy, &folding);
        }
        Ok(())
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The first thing in which the aggregator differs from its twin.
fn difference(fleet: &Fleet, twin: &Verdicts, said: &Verdicts) -> Option<String> {
    for ix in fleet.server_ixs() {
        let (twin, said) = (&twin.servers[ix.at()], &said.servers[ix.at()]);
        if twin != said {
            return Some(format!("server {} is\n  {said:?}\nand to the twin\n  {twin:?}", fleet.server(ix).id));
        }
    }
    for ix in fleet.entry_ixs() {
        let (twin, said) = (&twin.entry_points[ix.at()], &said.entry_points[ix.at()]);
        if twin != said {
            let id = &fleet.entry_point(ix).id;
            return Some(format!("entry point {id} is\n  {said:?}\nand to the twin\n  {twin:?}"));
        }
    }
    (twin != said).then(|| format!("the country cuts are {:?} and to the twin {:?}", said.cuts, twin.cuts))
}
