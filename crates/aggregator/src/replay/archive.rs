//! Replaying what an aggregator stored: its reports in the order in which it folded them, over the inventories of their
//! time.
//!
//! It begins with an empty ledger, so the first rounds after `from` say what a new aggregator would have said.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::bail;
use quorate_core::evaluate::Evaluator;
use quorate_core::ledger::Ledger;
use quorate_core::time::Moment;

use super::Replay;
use super::firing::Folds;
use crate::archive::base::Declared;
use crate::archive::walk::{From, Heard};
use crate::archive::{Entry, Walk, as_in_force};
use crate::engine::intake::{self, Places};
use crate::store::{Absence, Store, StoredPlan};

/// Replays the reports received from `from` up to and including `to`, and calls `evaluated` after each evaluation: one an
/// interval, and one at the end.
pub(super) async fn feed(
    store: &Store,
    from: Moment,
    to: Moment,
    evaluated: &mut dyn FnMut(&Replay) -> anyhow::Result<()>,
) -> anyhow::Result<Replay> {
    let read_after = store.report_id_before(from).await?;
    let first = store.reports_within(read_after, u64::MAX, 1).await?;
    let Some(start) = first.first().map(|report| report.received_at).filter(|at| *at <= to) else {
        bail!("{}: has no reports of that time", store.url())
    };
    let in_force = store.inventories_between(start, to).await?.into_iter().next();
    let Some(in_force) = in_force else { bail!("{}: has no inventory of that time", store.url()) };
    let (policies, inventory_version) = (as_in_force(), in_force.version);
    let replay = begin(policies(in_force)?, start);
    let mut feed = Feed { replay, places: Places::default(), plans: Arc::default(), evaluate_at: start, evaluated };
    let mut walk = Walk::open(store, From { at: start, inventory_version, read_after }, to, policies).await?;
    while let Some(page) = walk.next().await? {
        feed.plans = page.plans;
        for entry in page.entries {
            match entry {
                Entry::Heard(heard) => feed.fold(&heard)?,
                Entry::Away(absence) => feed.miss(absence)?,
                Entry::Changed { at, declared } => feed.change(*declared, at)?,
            }
        }
    }
    feed.replay.evaluate();
    (feed.evaluated)(&feed.replay)?;
    Ok(feed.replay)
}

fn begin(mut declared: Declared, at: Moment) -> Replay {
    Replay {
        ledger: Ledger::new(&declared.fleet, at),
        fleet: declared.fleet,
        policy: declared.policies.pop().unwrap_or_default(),
        evaluator: Evaluator::default(),
        at,
        folded: Folds::default(),
    }
}

struct Feed<'a> {
    replay: Replay,
    places: Places,
    plans: Arc<BTreeMap<u64, StoredPlan>>,
    evaluate_at: Moment,
    evaluated: &'a mut dyn FnMut(&Replay) -> anyhow::Result<()>,
}

impl Feed<'_> {
    /// Lets time pass up to `now`, evaluating once an interval.
    fn advance(&mut self, now: Moment) -> anyhow::Result<()> {
        let interval = self.replay.policy.interval.max(Duration::from_millis(1));
        while self.evaluate_at < now {
            self.replay.at = self.evaluate_at;
            self.replay.evaluate();
            (self.evaluated)(&self.replay)?;
            self.evaluate_at = self.evaluate_at.after(interval);
        }
        self.replay.at = self.replay.at.max(now);
        Ok(())
    }

    /// The aggregator was away: it said nothing meanwhile, and listens anew.
    fn miss(&mut self, absence: Absence) -> anyhow::Result<()> {
        self.advance(absence.since)?;
        self.evaluate_at = self.evaluate_at.max(absence.until);
        self.advance(absence.until)?;
        self.replay.ledger.resume(absence.until);
        Ok(())
    }

    fn change(&mut self, mut declared: Declared, at: Moment) -> anyhow::Result<()> {
        self.advance(at)?;
        self.replay.ledger = self.replay.ledger.over(&self.replay.fleet, &declared.fleet, at);
        self.replay.fleet = declared.fleet;
        self.replay.policy = declared.policies.pop().unwrap_or_default();
        self.replay.evaluator = Evaluator::default();
        self.places = Places::default();
        Ok(())
    }

    fn fold(&mut self, heard: &Heard) -> anyhow::Result<()> {
        self.advance(heard.received_at)?;
        let Some(witness) = self.replay.fleet.find_server(&heard.server) else { return Ok(()) };
        let last = self.replay.ledger.server(witness).last_report_at;
        let observed_at = intake::in_order(heard.observed_at, heard.received_at, last);
        let (fleet, plans) = (&self.replay.fleet, &self.plans);
        let taken = intake::take(fleet, &mut self.places, witness, plans, observed_at, &heard.report);
        if taken.is_round {
            self.replay.fold(&taken.report);
        } else {
            self.replay.ledger.fold_heartbeat(&taken.report);
        }
        Ok(())
    }
}
