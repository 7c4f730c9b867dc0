//! What would be said later: if nobody said anything more, or if everything were good again.

use std::time::Duration;

use quorate_core::fleet::ServerIx;
use quorate_core::ledger::Standing;
use quorate_core::outcome::Outcome;
use quorate_core::report::{Health, Report};
use quorate_core::time::Moment;
use quorate_core::verdict::{Status, Verdicts};

use super::{Breach, each, shadow};
use crate::engine::Engine;

/// What was said at a moment, and what stood then.
#[derive(Debug, Clone)]
pub(super) struct Said {
    verdicts: Verdicts,
    stood: Vec<Standing>,
}

impl Said {
    pub fn of(engine: &Engine, verdicts: &Verdicts) -> Self {
        let stood = engine.fleet.entry_ixs().map(|ix| engine.ledger.standing(ix).clone()).collect();
        Self { verdicts: verdicts.clone(), stood }
    }
}

/// Invariant 4 between two evaluations between which nothing came: nothing was raised but `no_data`, and nothing lifted that
/// is to be held.
pub(super) fn silence(at: Moment, engine: &Engine, before: &Said, after: &Verdicts) -> Result<(), Breach> {
    let entry_points = before.verdicts.entry_points.iter().zip(&before.stood).zip(&after.entry_points);
    for (ix, ((then, stood), now)) in engine.fleet.entry_ixs().zip(entry_points) {
        // What is remembered behind `contested` or `down` may show again; it is no new verdict.
        if !now.unreachable.is_subset(&stood.unreachable) || !now.blocked.is_subset(&stood.blocked) {
            let found = format!("{}: {then:?}\n then {now:?}", engine.fleet.entry_point(ix).id);
            return Err(Breach::new("silence raises no verdict", at, found));
        }
        let held_until = each::against(then)
            .into_iter()
            .filter_map(|witness| engine.ledger.pair(witness, ix).last_evidence_at())
            .map(|last| last.after(engine.policy.hold_for))
            .min();
        let lifted = !then.unreachable.is_subset(&now.unreachable) || !then.blocked.is_subset(&now.blocked);
        if lifted && held_until.is_some_and(|until| at <= until) {
            let found = format!("{}: {then:?}\n then {now:?}", engine.fleet.entry_point(ix).id);
            return Err(Breach::new("silence lifts no verdict before hold_for", at, found));
        }
    }
    for (ix, (then, now)) in engine.fleet.server_ixs().zip(before.verdicts.servers.iter().zip(&after.servers)) {
        let told = |word: &Status| match word {
            // The last three say what is said of entry points, which was looked at above.
            Status::NoData | Status::Ok | Status::Unreachable | Status::Blocked | Status::Degraded => true,
            Status::Marked | Status::Contested => {
                let own = &engine.fleet.server(ix).entry_points;
                own.iter().all(|ix| had_accusers(&before.verdicts, after, ix.at()))
            }
            Status::Disabled | Status::Down | Status::Pending => false,
        };
        let new = now.conditions.iter().find(|word| !then.conditions.contains(word) && !told(word));
        if let Some(word) = new {
            let found = format!("{word:?}: {then:?}\n then {now:?}");
            return Err(Breach::new("silence raises no status but no_data", at, found));
        }
    }
    Ok(())
}

/// Whether all who are said to miss an entry point already did. A mark that comes up then is no news: its witness counted as
/// half-blind for as long as those whom it did not see were there, or the mark was told as more than that.
fn had_accusers(before: &Verdicts, after: &Verdicts, entry_point: usize) -> bool {
    let (then, now) = (&before.entry_points[entry_point], &after.entry_points[entry_point]);
    let missed = |witness: ServerIx| {
        let accused = then.accusers.iter().any(|accuser| accuser.witness == witness);
        accused || then.void.contains(&witness) || then.held.contains(&witness)
    };
    now.accusers.iter().all(|accuser| missed(accuser.witness))
}

/// Nobody says anything more for a while.
pub(super) fn nothing_is_said(at: Moment, engine: &Engine, verdicts: &Verdicts) -> Result<(), Breach> {
    let mut silent = engine.clone();
    let mut before = Said::of(engine, verdicts);
    for s in [1, 30, 60, 90, 120, 150, 181, 240, 500, 900, 901, 2_000] {
        let later = at.after(Duration::from_secs(s));
        let after = silent.evaluate(later).clone();
        silence(later, &silent, &before, &after)?;
        before = Said::of(&silent, &after);
    }
    Ok(())
}

/// Between two moments at which something is due, evaluating changes nothing.
pub(super) fn nothing_is_due(at: Moment, engine: &Engine, verdicts: &Verdicts) -> Result<(), Breach> {
    let mut later = shadow::forgetful(engine);
    later.evaluate(at);
    let due = later.evaluator.next_change(&later.policy, &later.ledger);
    if due <= at {
        return Err(Breach::new("what is due is ahead", at, format!("{due:?}")));
    }
    if due == Moment::MAX {
        return Ok(());
    }
    let mut apart = shadow::forgetful(engine);
    let mut found = apart.evaluate(due.before(Duration::from_millis(1))).clone();
    found.at = verdicts.at;
    shadow::same("nothing changes before it is due", at, verdicts, &found)
}

/// Invariant 7: everybody reports that it is well and that it sees everybody, and every verdict is gone.
pub(super) fn all_is_good(at: Moment, engine: &Engine) -> Result<(), Breach> {
    let mut good = engine.clone();
    let fleet = engine.fleet.clone();
    let at = at.after(engine.policy.interval);
    for witness in fleet.server_ixs() {
        let reached = Outcome::Reached { latency: Duration::from_millis(20) };
        let outcomes = fleet.entry_ixs().map(|ix| (ix, reached)).collect();
        good.fold(&Report { witness, observed_at: at, health: Health::Ok, outcomes, sequence: None });
    }
    let verdicts = good.evaluate(at).clone();
    each::all_well("everything heals with one good round of each", at, &good, &verdicts)
}
