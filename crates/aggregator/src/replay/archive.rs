//! Replaying what an aggregator stored: its reports in the order in which it folded them, over the inventories of their
//! time.
//!
//! It begins with an empty ledger, so the first rounds after `from` say what a new aggregator would have said.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, bail};
use bytes::Bytes;
use prost::Message;
use quorate_core::evaluate::Evaluator;
use quorate_core::ledger::Ledger;
use quorate_core::time::Moment;
use quorate_proto::v1;

use super::Replay;
use super::firing::Folds;
use crate::engine::{declared, intake};
use crate::store::{ArchivedReport, Store, StoredInventory, StoredPlan};

/// Reports read at a time.
const REPORTS_AT_A_TIME: usize = 500;

/// Replays the reports received from `from` up to and including `to`, and calls `evaluated` after each evaluation: one an
/// interval, and one at the end.
pub(super) async fn feed(
    store: &Store,
    from: Moment,
    to: Moment,
    evaluated: &mut dyn FnMut(&Replay) -> anyhow::Result<()>,
) -> anyhow::Result<Replay> {
    let mut reports = store.reports_between(from, to, 0, REPORTS_AT_A_TIME).await?;
    let Some(start) = reports.first().map(|report| report.received_at) else {
        bail!("{}: has no reports of that time", store.url())
    };
    let mut inventories = store.inventories_between(start, to).await?.into_iter().peekable();
    let Some(first) = inventories.next() else { bail!("{}: has no inventory of that time", store.url()) };
    let mut feed = Feed { replay: begin(&first, start)?, plans: BTreeMap::new(), evaluate_at: start, evaluated };
    while let Some(last) = reports.last().map(|report| report.id) {
        for report in reports {
            while let Some(changed) = inventories.next_if(|stored| stored.at <= report.received_at) {
                feed.advance(changed.at)?;
                feed.change(&changed)?;
            }
            feed.advance(report.received_at)?;
            feed.fold(store, report).await?;
        }
        reports = store.reports_between(from, to, last, REPORTS_AT_A_TIME).await?;
    }
    for changed in inventories {
        feed.advance(changed.at)?;
        feed.change(&changed)?;
    }
    feed.replay.evaluate();
    (feed.evaluated)(&feed.replay)?;
    Ok(feed.replay)
}

fn begin(first: &StoredInventory, from: Moment) -> anyhow::Result<Replay> {
    let (fleet, policy) = declared(&first.inventory).with_context(|| format!("inventory {}", first.version))?;
    let ledger = Ledger::new(&fleet, from);
    Ok(Replay { fleet, policy, ledger, evaluator: Evaluator::default(), at: from, folded: Folds::default() })
}

struct Feed<'a> {
    replay: Replay,
    plans: BTreeMap<u64, StoredPlan>,
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

    fn change(&mut self, stored: &StoredInventory) -> anyhow::Result<()> {
        let (fleet, policy) = declared(&stored.inventory).with_context(|| format!("inventory {}", stored.version))?;
        self.replay.ledger = self.replay.ledger.over(&self.replay.fleet, &fleet, stored.at);
        self.replay.fleet = fleet;
        self.replay.policy = policy;
        self.replay.evaluator = Evaluator::default();
        Ok(())
    }

    async fn fold(&mut self, store: &Store, archived: ArchivedReport) -> anyhow::Result<()> {
        let Some(witness) = self.replay.fleet.find_server(&archived.server) else { return Ok(()) };
        let report = v1::Report::decode(Bytes::from(archived.payload))
            .with_context(|| format!("report {} of the archive", archived.id))?;
        if !self.plans.contains_key(&report.plan_version)
            && let Some(plan) = store.plan(report.plan_version).await?
        {
            self.plans.insert(report.plan_version, plan);
        }
        let last = self.replay.ledger.server(witness).last_report_at;
        let observed_at = intake::in_order(archived.observed_at, archived.received_at, last);
        let taken = intake::take(
            &self.replay.fleet,
            &mut intake::Places::default(),
            witness,
            &self.plans,
            observed_at,
            &report,
        );
        if taken.is_round {
            self.replay.fold(&taken.report);
        } else {
            self.replay.ledger.fold_heartbeat(&taken.report);
        }
        Ok(())
    }
}
