//! The one writer of reports: takes what waits across all sessions and commits it together.
//!
//! Like a ferry: it leaves with whoever stands on the pier, and those who come meanwhile take the next one. A report is
//! answered for after its commit and after the engine has it, and the engine gets reports in the order of their numbers.
//! After a report that was not stored, none of the same session is: the store takes a number for all before it, so a later
//! one in its place would make the earlier one, sent again, look like a repeat, and it would be lost.
//! What waits is bounded in bytes; beyond that, reports stay in the agents' sockets.

use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use quorate_core::time::Moment;
use quorate_proto::v1;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::limits::{BATCH_MAX, UNCOMMITTED_BYTES_MAX, WRITER_QUEUE};
use super::outage::Outage;
use super::registry::Sessions;
use crate::engine::{Admitted, EngineHandle};
use crate::store::{NewReport, Store, Stored};

/// A report to be stored.
#[derive(Debug)]
pub(super) struct Submission {
    pub(super) server: String,
    pub(super) received_at: Moment,
    pub(super) observed_at: Moment,
    pub(super) report: v1::Report,
    pub(super) payload: Bytes,
    pub(super) order: Order,
}

/// What the reports of one session share: whether one of them was not stored.
#[derive(Debug, Clone, Default)]
pub(super) struct Order(Arc<AtomicBool>);

impl Order {
    fn is_broken(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Only the writer's task reads it, so there is nothing to be ordered against.
    fn break_off(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// It is not in the store, for all we know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotStored;

/// The way to the writer.
#[derive(Debug)]
pub(super) struct Writer {
    queue: mpsc::Sender<Job>,
    room: Arc<Semaphore>,
}

/// What the writer's task works on.
#[derive(Debug)]
pub(super) struct Queue(mpsc::Receiver<Job>);

#[derive(Debug)]
struct Job {
    submission: Submission,
    answer: oneshot::Sender<Result<(), NotStored>>,
    _room: OwnedSemaphorePermit,
}

impl Writer {
    pub(super) fn new() -> (Self, Queue) {
        let (queue, jobs) = mpsc::channel(WRITER_QUEUE);
        (Self { queue, room: Arc::new(Semaphore::new(UNCOMMITTED_BYTES_MAX)) }, Queue(jobs))
    }

    /// Queues a report; waits while too much is queued. The receiver hears when it is stored, or that it is not.
    pub(super) async fn submit(
        &self,
        submission: Submission,
    ) -> Result<oneshot::Receiver<Result<(), NotStored>>, NotStored> {
        // A message is far smaller than the room, so this is never more than there can be.
        let bytes = u32::try_from(submission.payload.len().max(1)).map_err(|_| NotStored)?;
        let room = Arc::clone(&self.room).acquire_many_owned(bytes).await.map_err(|_| NotStored)?;
        let (answer, stored) = oneshot::channel();
        self.queue.send(Job { submission, answer, _room: room }).await.map_err(|_| NotStored)?;
        Ok(stored)
    }
}

impl Queue {
    /// Stores until `stop`, then what is queued, then ends.
    pub(super) async fn run(
        mut self,
        store: Store,
        engine: EngineHandle,
        sessions: Sessions,
        outage: Arc<Outage>,
        stop: CancellationToken,
    ) {
        let mut jobs = Vec::with_capacity(BATCH_MAX);
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled(), if !self.0.is_closed() => self.0.close(),
                taken = self.0.recv_many(&mut jobs, BATCH_MAX) => {
                    if taken == 0 {
                        return;
                    }
                    commit(&mut jobs, &store, &engine, &sessions, &outage).await;
                }
            }
        }
    }
}

async fn commit(jobs: &mut Vec<Job>, store: &Store, engine: &EngineHandle, sessions: &Sessions, outage: &Outage) {
    let in_order = !jobs.iter().any(|job| job.submission.order.is_broken());
    let together = if in_order { store_all(jobs, store, outage).await } else { Err(StoreFailed) };
    let answers = match together {
        Ok(answers) => answers.into_iter().map(Ok).collect(),
        Err(StoreFailed) if jobs.len() == 1 => {
            jobs[0].submission.order.break_off();
            vec![Err(NotStored)]
        }
        // One report that the store will never take must not hold up the others that stood beside it.
        Err(StoreFailed) => store_each(jobs, store, outage).await,
    };
    let counters = sessions.counters();
    for (job, answer) in jobs.drain(..).zip(answers) {
        match answer {
            Ok(Stored::New(id)) => {
                counters.reports_stored.one();
                let Submission { server, received_at, observed_at, report, payload, order: _ } = job.submission;
                // An engine that has stopped finds the report in the store when it starts again.
                let _ = engine.admit(Admitted { id, server, received_at, observed_at, report, payload }).await;
            }
            Ok(Stored::Repeated) => counters.reports_repeated.one(),
            Err(NotStored) => counters.reports_refused.one(),
        }
        // A session that is gone needs no answer.
        let _ = job.answer.send(answer.map(drop));
    }
}

/// The transaction failed, which was told.
struct StoreFailed;

async fn store_all(jobs: &[Job], store: &Store, outage: &Outage) -> Result<Vec<Stored>, StoreFailed> {
    let rows: Vec<_> = jobs.iter().map(|job| row(&job.submission)).collect();
    match store.store_reports(&rows).await {
        Ok(stored) => {
            outage.worked();
            Ok(stored)
        }
        Err(error) => {
            outage.failed(&error);
            Err(StoreFailed)
        }
    }
}

/// One by one, until two in a row fail: then it is the store and not a report, and the rest need not wait for it.
async fn store_each(jobs: &[Job], store: &Store, outage: &Outage) -> Vec<Result<Stored, NotStored>> {
    let mut answers = Vec::with_capacity(jobs.len());
    let mut failed_in_a_row = 0;
    for job in jobs {
        if job.submission.order.is_broken() {
            answers.push(Err(NotStored));
            continue;
        }
        let stored =
            if failed_in_a_row < 2 { store_all(slice::from_ref(job), store, outage).await } else { Err(StoreFailed) };
        let answer = stored.ok().and_then(|stored| stored.first().copied()).ok_or(NotStored);
        if answer.is_ok() {
            failed_in_a_row = 0;
        } else {
            failed_in_a_row += 1;
            job.submission.order.break_off();
        }
        answers.push(answer);
    }
    answers
}

fn row(submission: &Submission) -> NewReport<'_> {
    NewReport {
        server: &submission.server,
        outbox: &submission.report.outbox_id,
        sequence: submission.report.sequence,
        received_at: submission.received_at,
        observed_at: submission.observed_at,
        payload: &submission.payload,
    }
}
