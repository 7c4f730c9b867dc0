//! Stage 6: folds stored reports into the ledger, in the order of the archive, each once.
//!
//! What the gateway hands on is mostly the next one. Where a number is missing, the archive has it: reports that came after
//! the last checkpoint of an earlier run, or that a database stored and died before it said so.

use std::sync::{Arc, PoisonError};

use bytes::Bytes;
use prost::Message;
use quorate_core::fold::Folded;
use quorate_core::report::Report;
use quorate_core::time::Moment;
use quorate_proto::v1;

use super::task::Task;
use super::{Admitted, LastReport, intake};
use crate::store::StoreError;

/// Reports read from the archive at a time.
const REPORTS_AT_A_TIME: usize = 500;

impl Task {
    /// Folds a report that the gateway hands on, after those stored before it that never got here: a database that stored
    /// one and died before it said so.
    pub(super) async fn admit_in_order(&mut self, admitted: Admitted) {
        let done = if admitted.id > self.through + 1 { self.catch_up().await } else { Ok(()) };
        let done = match done {
            Ok(()) if admitted.id > self.through => self.admit(admitted).await,
            done => done,
        };
        if let Err(error) = done {
            // It waits in the archive, and the next report finds the gap.
            tracing::warn!("stored reports wait to be folded: {error}");
        }
    }

    /// Folds a stored report; nothing is folded if the plan that it follows cannot be read just then. One of a server that
    /// is gone is nobody's evidence.
    async fn admit(&mut self, admitted: Admitted) -> Result<(), StoreError> {
        self.issued.learn(&self.store, admitted.report.plan_version).await?;
        self.through = self.through.max(admitted.id);
        let Some(witness) = self.fleet.find_server(&admitted.server) else { return Ok(()) };
        let last = self.ledger.server(witness).last_report_at;
        let observed_at = intake::in_order(admitted.observed_at, admitted.received_at, last);
        let (plans, report) = (self.issued.known(), &admitted.report);
        let taken = intake::take(&self.fleet, &mut self.places, witness, plans, observed_at, report);
        if let Some(flaw) = &taken.flaw {
            tracing::warn!(
                server = admitted.server,
                sequence = admitted.report.sequence,
                "a report says nothing about others: {flaw}"
            );
        }
        let folded = if taken.is_round {
            self.ledger.fold(&self.fleet, &self.policy, &taken.report)
        } else {
            self.ledger.fold_heartbeat(&taken.report)
        };
        self.plan_followed(&admitted.server, admitted.report.plan_version, admitted.observed_at).await;
        if folded == Folded::Counted {
            self.note_lines(&admitted, &taken.report);
            let before = self.last_reports[witness.at()].take();
            let last_round = before.filter(|_| !taken.is_round).map(|report| report.outcomes.clone());
            self.last_reports[witness.at()] = Some(Arc::new(LastReport {
                received_at: admitted.received_at,
                observed_at,
                outcomes: last_round.unwrap_or_else(|| {
                    let (plans, version) = (self.issued.known(), admitted.report.plan_version);
                    intake::named(&admitted.server, plans, version, taken.outcomes)
                }),
                self_check: admitted.report.self_check.unwrap_or_default(),
            }));
        }
        Ok(())
    }

    /// For the small lines of lists.
    fn note_lines(&self, admitted: &Admitted, report: &Report) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(metrics) = admitted.report.self_check.as_ref().and_then(|check| check.metrics.as_ref()) {
            lines.note_self(&admitted.server, report.observed_at, metrics);
        }
        for (ix, outcome) in &report.outcomes {
            lines.note_knock(&self.fleet.owner(*ix).id, report.observed_at, outcome);
        }
    }

    /// Folds the reports that were stored after the last one folded.
    pub(super) async fn catch_up(&mut self) -> Result<(), StoreError> {
        self.catch_up_to(u64::MAX).await
    }

    /// Folds those of an earlier run that no checkpoint has, each over the fleet that was in force when it came, as if there
    /// had been no restart; then the newest inventory is in force.
    pub(super) async fn relive(&mut self) -> Result<(), StoreError> {
        for (version, at) in self.store.inventory_changes(self.inventory_version, Moment::MAX).await? {
            // One that is no longer kept was in force too long ago for any of these reports.
            let Some(stored) = self.store.inventory_version(version).await? else { continue };
            let before = self.store.report_id_before(at).await?;
            self.catch_up_to(before).await?;
            self.take_over(version, stored.inventory, at);
        }
        self.catch_up().await
    }

    /// Folds them up to and including this one.
    async fn catch_up_to(&mut self, last: u64) -> Result<(), StoreError> {
        loop {
            let reports = self.store.reports_within(self.through, last, REPORTS_AT_A_TIME).await?;
            if reports.is_empty() {
                return Ok(());
            }
            for archived in reports {
                let payload = Bytes::from(archived.payload);
                match v1::Report::decode(payload.clone()) {
                    Ok(report) => {
                        self.admit(Admitted {
                            id: archived.id,
                            server: archived.server,
                            received_at: archived.received_at,
                            observed_at: archived.observed_at,
                            report,
                            payload,
                        })
                        .await?;
                    }
                    Err(error) => {
                        tracing::error!(
                            id = archived.id,
                            "an archived report cannot be read and is passed over: {error}"
                        );
                        self.through = archived.id;
                    }
                }
            }
        }
    }
}
