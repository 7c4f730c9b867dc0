//! Back-tests as jobs: one at a time, a few results kept, progress told, and an end when somebody or the process says so.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use quorate_core::time::Moment;
use tokio_util::sync::CancellationToken;

use super::findings::BacktestResult;
use super::policy;
use super::run::{BacktestError, Order, Progress, run};
use crate::clock::Clock;
use crate::store::Store;

/// Results kept, newest first: a person compares a handful.
const KEPT_MAX: usize = 16;

/// How far a job is.
#[derive(Debug, Clone)]
pub enum State {
    /// Under way.
    Running,
    /// It has a result.
    Done(Arc<BacktestResult>),
    /// It has none, for this reason.
    Failed(String),
    /// Somebody ended it.
    Cancelled,
}

/// A back-test.
#[derive(Debug, Clone)]
pub struct Job {
    /// Its name.
    pub id: String,
    /// What it tries, in words.
    pub title: String,
    /// What it tries.
    pub order: Order,
    /// When it was asked for.
    pub started_at: Moment,
    /// How far it is.
    pub state: State,
    progress: Progress,
    cancel: CancellationToken,
}

impl Job {
    /// How much is done, 0 to 1.
    pub fn done_share(&self) -> f32 {
        if matches!(self.state, State::Done(_)) { 1.0 } else { self.progress.share() }
    }
}

/// Another one runs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("back-test '{0}' runs already: wait for its end, or cancel it")]
pub struct Busy(pub String);

/// The back-tests of this run of the aggregator. Cheap to clone.
#[derive(Clone)]
pub struct Backtests {
    store: Store,
    clock: Clock,
    stop: CancellationToken,
    /// Newest first.
    jobs: Arc<Mutex<VecDeque<Job>>>,
}

impl Backtests {
    /// Over the archive of a store; all end with `stop`.
    pub fn new(store: Store, clock: Clock, stop: CancellationToken) -> Self {
        Self { store, clock, stop, jobs: Arc::default() }
    }

    /// Begins one, if none runs.
    pub fn start(&self, order: Order) -> Result<Job, Busy> {
        let started_at = self.clock.now();
        let (progress, cancel) = (Progress::default(), self.stop.child_token());
        let job = self.with(|jobs| {
            if let Some(running) = jobs.iter().find(|job| matches!(job.state, State::Running)) {
                return Err(Busy(running.id.clone()));
            }
            let job = Job {
                id: unused_id(jobs, started_at),
                title: policy::title(&order.policy),
                order,
                started_at,
                state: State::Running,
                progress,
                cancel,
            };
            jobs.push_front(job.clone());
            jobs.truncate(KEPT_MAX);
            Ok(job)
        })?;
        let (this, begun) = (self.clone(), job.clone());
        tokio::spawn(async move {
            let ended = run(&this.store, &begun.order, &begun.progress, &begun.cancel).await;
            let state = match ended {
                Ok(result) => State::Done(Arc::new(result)),
                Err(BacktestError::Cancelled) => State::Cancelled,
                Err(error) => {
                    tracing::warn!(id = begun.id, "a back-test failed: {error}");
                    State::Failed(error.to_string())
                }
            };
            this.with(|jobs| {
                if let Some(job) = jobs.iter_mut().find(|job| job.id == begun.id) {
                    job.state = state;
                }
            });
        });
        Ok(job)
    }

    /// All that are kept, newest first.
    pub fn list(&self) -> Vec<Job> {
        self.with(|jobs| jobs.iter().cloned().collect())
    }

    /// One of them.
    pub fn find(&self, id: &str) -> Option<Job> {
        self.with(|jobs| jobs.iter().find(|job| job.id == id).cloned())
    }

    /// Ends one that runs, forgets one that is over; whether there was one.
    pub fn end(&self, id: &str) -> bool {
        self.with(|jobs| {
            let Some(place) = jobs.iter().position(|job| job.id == id) else { return false };
            if matches!(jobs[place].state, State::Running) {
                jobs[place].cancel.cancel();
            } else {
                jobs.remove(place);
            }
            true
        })
    }

    /// Nothing in there can panic halfway.
    fn with<T>(&self, act: impl FnOnce(&mut VecDeque<Job>) -> T) -> T {
        act(&mut self.jobs.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Told by its moment, so that one of an earlier run is not taken for one of this.
fn unused_id(jobs: &VecDeque<Job>, at: Moment) -> String {
    let mut number = at.as_ms();
    while jobs.iter().any(|job| job.id == format!("bt-{number}")) {
        number += 1;
    }
    format!("bt-{number}")
}
