//! Folding both worlds: every report is read once and folded under either policy.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use quorate_core::time::Moment;
use tokio::task::{JoinError, spawn_blocking};
use tokio_util::sync::CancellationToken;

use super::compare::compare;
use super::findings::BacktestResult;
use super::policy;
use super::policy::laid_over;
use super::timeline::Timeline;
use super::words::{About, told};
use crate::archive::base::Declared;
use crate::archive::base::{Policies, warm_up};
use crate::archive::walk::From;
use crate::archive::{ArchiveError, Base, Past, Walk};
use crate::inventory::{Inventory, PolicySettings};
use crate::store::{Store, StoredInventory};
use crate::when;

/// Both worlds are evaluated this often in a round at the most, and at least each [`STEP_MAX`]: moments of a back-test are
/// good to that.
const STEPS_OF_A_ROUND: u32 = 12;
/// The engine's own longest pause between two evaluations.
const STEP_MAX: Duration = Duration::from_secs(5);

/// What is to be tried.
#[derive(Debug, Clone)]
pub struct Order {
    /// First moment compared.
    pub from: Moment,
    /// Last moment compared.
    pub to: Moment,
    /// The numbers that differ.
    pub policy: PolicySettings,
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum BacktestError {
    /// Nothing to fold.
    #[error("nothing is archived of that time: GET /api/v1/history says how far it reaches")]
    Nothing,
    /// The archive cannot be read, or the policy does not fit an inventory of the time.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// A bug of ours.
    #[error("folding ended in disorder: {0}")]
    Ended(#[from] JoinError),
    /// Somebody ended it.
    #[error("it was cancelled")]
    Cancelled,
}

/// How much is done, in thousandths.
#[derive(Debug, Clone, Default)]
pub struct Progress(Arc<AtomicU32>);

impl Progress {
    /// 0 to 1.
    pub fn share(&self) -> f32 {
        f32::from(u16::try_from(self.0.load(Ordering::Relaxed)).unwrap_or(1000)) / 1000.0
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share for a progress bar")]
    fn set(&self, share: f32) {
        self.0.store((share.clamp(0.0, 1.0) * 1000.0) as u32, Ordering::Relaxed);
    }
}

/// The policy as it was in force, and the one that is tried.
fn both(tried: &PolicySettings) -> Policies {
    let tried = tried.clone();
    Arc::new(move |StoredInventory { version, inventory, .. }| {
        let refused = |problem| ArchiveError::Inventory { version, problem };
        let (fleet, in_force) = crate::engine::declared(&inventory).map_err(refused)?;
        let other = Inventory { policy: laid_over(&inventory.policy, &tried), ..inventory.clone() };
        let (_, would) = crate::engine::declared(&other).map_err(refused)?;
        Ok(Declared { version, inventory: Arc::new(inventory), fleet, policies: vec![in_force, would] })
    })
}

struct Worlds {
    past: Past,
    was: Timeline,
    would: Timeline,
}

impl Worlds {
    /// On a thread that serves nobody.
    async fn moved(
        mut self,
        step: impl FnOnce(&mut Past, crate::archive::past::Evaluated<'_>) + Send + 'static,
    ) -> Result<Self, JoinError> {
        spawn_blocking(move || {
            let Self { past, was, would } = &mut self;
            step(past, &mut |world, fleet, verdicts| {
                let timeline = if world == 0 { &mut *was } else { &mut *would };
                timeline.note(fleet, verdicts);
            });
            self
        })
        .await
    }
}

/// Folds both worlds and says what differs.
pub async fn run(
    store: &Store,
    order: &Order,
    progress: &Progress,
    cancel: &CancellationToken,
) -> Result<BacktestResult, BacktestError> {
    let policies = both(&order.policy);
    let first = store.first_report_at().await.map_err(ArchiveError::Store)?;
    let first = first.filter(|first| *first < order.to).ok_or(BacktestError::Nothing)?;
    let from = order.from.max(first);
    // Before the first moment both worlds have had time to make up their minds.
    let base = match Base::before(store, from, &policies).await? {
        Some(at_from) => {
            let span = at_from.declared.policies.iter().map(warm_up).max().unwrap_or_default();
            let begin = from.before(span).max(first);
            Base::before(store, begin, &policies).await?.unwrap_or(at_from)
        }
        None => return Err(BacktestError::Nothing),
    };
    let step = (base.declared.policies[0].interval / STEPS_OF_A_ROUND).min(STEP_MAX);
    let walk_from = From { at: base.at, inventory_version: base.declared.version, read_after: base.through };
    let mut walk = Walk::open(store, walk_from, order.to, policies).await?;
    let past = Past::new(base.declared, &base.ledger, base.at, base.through, step);
    let mut worlds = Worlds { past, was: Timeline::new(from), would: Timeline::new(from) };
    loop {
        let page = tokio::select! {
            page = walk.next() => page?,
            () = cancel.cancelled() => return Err(BacktestError::Cancelled),
        };
        let Some(page) = page else { break };
        worlds = worlds.moved(move |past, evaluated| past.take(page, evaluated)).await?;
        progress.set(walk.done_share());
    }
    let to = order.to;
    let Worlds { past, mut was, mut would } = worlds.moved(move |past, evaluated| past.arrive(to, evaluated)).await?;
    was.end(to);
    would.end(to);
    let title = policy::title(&order.policy);
    let about = About { title: &title, from, to, reports: past.reports() };
    let mut result = told(about, &compare(&was, &would, step * 2));
    if from > order.from {
        let begins = when::date_and_time(from);
        result.sentences.insert(1, format!("The archive begins at {begins}: nothing before could be compared."));
    }
    Ok(result)
}

#[cfg(test)]
mod tests;
