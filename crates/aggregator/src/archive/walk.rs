//! Reading the archive in order and in pages: reports, changes of the inventory and absences of the aggregator, each at its
//! moment. At most a page of reports is in memory, and the plans that they follow.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use prost::Message as _;
use quorate_core::time::Moment;
use quorate_proto::v1;

use super::base::{ArchiveError, Declared, Policies};
use crate::store::{Absence, ArchivedReport, Store, StoredPlan};

/// Reports read at a time: of a fleet of a thousand some megabytes.
const REPORTS_AT_A_TIME: usize = 500;
/// Plans kept from one page to the next; with more of them all are read again.
const PLANS_MAX: usize = 16;

/// A report of the archive, decoded.
#[derive(Debug)]
pub struct Heard {
    /// Its place in the order in which everybody folds.
    pub id: u64,
    /// Who sent it.
    pub server: String,
    /// When its last byte came.
    pub received_at: Moment,
    /// When the round ended.
    pub observed_at: Moment,
    /// The message.
    pub report: v1::Report,
}

/// One thing that happened.
#[allow(clippy::large_enum_variant, reason = "nearly all of them are reports")]
pub enum Entry {
    /// A report came.
    Heard(Heard),
    /// The aggregator was away.
    Away(Absence),
    /// The inventory changed.
    Changed {
        /// When.
        at: Moment,
        /// To what.
        declared: Box<Declared>,
    },
}

/// What happened, in order.
pub struct Page {
    /// One after the other.
    pub entries: Vec<Entry>,
    /// The plans that the reports follow.
    pub plans: Arc<BTreeMap<u64, StoredPlan>>,
}

/// Where a walk begins.
#[derive(Debug, Clone, Copy)]
pub struct From {
    /// What happened after this moment.
    pub at: Moment,
    /// Changes of the inventory behind this version.
    pub inventory_version: u64,
    /// Reports behind this one.
    pub read_after: u64,
}

/// A walk through the archive.
pub struct Walk {
    store: Store,
    policies: Policies,
    first: u64,
    after: u64,
    through: u64,
    changes: VecDeque<(u64, Moment)>,
    absences: VecDeque<Absence>,
    plans: Arc<BTreeMap<u64, StoredPlan>>,
    /// Plans that the store does not have.
    missing: BTreeSet<u64>,
    ended: bool,
}

impl Walk {
    /// Up to and including `to`. `policies` says under what each inventory is folded.
    pub async fn open(store: &Store, from: From, to: Moment, policies: Policies) -> Result<Self, ArchiveError> {
        let through = store.last_report_id(to).await?;
        Ok(Self {
            store: store.clone(),
            policies,
            first: from.read_after,
            after: from.read_after,
            through,
            changes: store.inventory_changes(from.inventory_version, to).await?.into(),
            absences: store.absences(from.at, to).await?.into_iter().filter(|absence| absence.until <= to).collect(),
            plans: Arc::default(),
            missing: BTreeSet::new(),
            ended: false,
        })
    }

    /// How much of it was read, 0 to 1.
    #[allow(clippy::cast_precision_loss, reason = "a share for a progress bar")]
    pub fn done_share(&self) -> f32 {
        if self.ended || self.through <= self.first {
            return 1.0;
        }
        (self.after - self.first) as f32 / (self.through - self.first) as f32
    }

    /// The next page; none at the end.
    pub async fn next(&mut self) -> Result<Option<Page>, ArchiveError> {
        if self.ended {
            return Ok(None);
        }
        if self.plans.len() > PLANS_MAX {
            self.plans = Arc::default();
        }
        let reports = self.store.reports_within(self.after, self.through, REPORTS_AT_A_TIME).await?;
        let mut entries = Vec::with_capacity(reports.len());
        if let Some(last) = reports.last() {
            self.after = last.id;
        } else {
            self.ended = true;
            self.until(Moment::MAX, &mut entries).await?;
        }
        for archived in reports {
            self.until(archived.received_at, &mut entries).await?;
            if let Some(heard) = self.read(archived).await? {
                entries.push(Entry::Heard(heard));
            }
        }
        Ok(Some(Page { entries, plans: self.plans.clone() }))
    }

    /// What else happened up to `at`.
    async fn until(&mut self, at: Moment, entries: &mut Vec<Entry>) -> Result<(), ArchiveError> {
        loop {
            let change = self.changes.front().map(|(_, at)| *at).filter(|change| *change <= at);
            let absence = self.absences.front().map(|absence| absence.until).filter(|until| *until <= at);
            match (change, absence) {
                (None, None) => return Ok(()),
                (Some(change), absence) if absence.is_none_or(|absence| change <= absence) => {
                    let Some((version, at)) = self.changes.pop_front() else { return Ok(()) };
                    // Pruned between the list and here: the one before goes on.
                    if let Some(stored) = self.store.inventory_version(version).await? {
                        let declared = Box::new((self.policies)(stored)?);
                        entries.push(Entry::Changed { at, declared });
                    }
                }
                _ => entries.extend(self.absences.pop_front().map(Entry::Away)),
            }
        }
    }

    /// One that cannot be read is passed over, as the engine does.
    async fn read(&mut self, archived: ArchivedReport) -> Result<Option<Heard>, ArchiveError> {
        let ArchivedReport { id, server, received_at, observed_at, payload, .. } = archived;
        let Ok(report) = v1::Report::decode(Bytes::from(payload)) else {
            tracing::warn!(id, "an archived report cannot be read and is passed over");
            return Ok(None);
        };
        let version = report.plan_version;
        if version > 0 && !self.plans.contains_key(&version) && !self.missing.contains(&version) {
            match self.store.plan(version).await? {
                Some(plan) => drop(Arc::make_mut(&mut self.plans).insert(version, plan)),
                None => drop(self.missing.insert(version)),
            }
        }
        Ok(Some(Heard { id, server, received_at, observed_at, report }))
    }
}
