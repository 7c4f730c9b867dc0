//! Walks the rounds: hands what is due to the prober, one at a time, and finished rounds to the reporter.
//!
//! A thin driver of [`Pacing`], which decides all of it: order, spacing, and what a stall makes inconclusive. It brings
//! the time and never waits for anything but the time, the running probe and a new plan, so that being late means that
//! the process was not let run.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use quorate_core::outcome::{Outcome, Reason};
use quorate_core::pacing::{Pacing, Round};
use tokio::sync::mpsc;

use crate::shared::Shared;
use crate::{clock, dice};

/// Finished rounds that wait for the self-check: more than one is a machine in trouble.
const WAITING_MAX: usize = 4;

pub(crate) fn channel() -> (mpsc::Sender<Round>, mpsc::Receiver<Round>) {
    mpsc::channel(WAITING_MAX)
}

type Knock = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// Never ends.
pub(crate) async fn run(shared: Arc<Shared>, done: mpsc::Sender<Round>) {
    let mut plans = shared.plan.subscribe();
    let plan = match plans.wait_for(Option::is_some).await {
        Ok(plan) => plan.as_ref().map(|plan| (**plan).clone()),
        Err(_) => None,
    };
    let Some(plan) = plan else { return };
    plans.mark_unchanged();
    let mut pacing = Pacing::new(plan, dice::seed(), clock::since_boot());
    let mut knock: Option<Knock> = None;
    loop {
        if let Some(round) = pacing.poll_round()
            && done.try_send(round).is_err()
        {
            tracing::error!("a round is lost: the self-checks before it take too long");
        }
        if let Some(target) = pacing.poll_probe() {
            let (target, speed) = (target.clone(), pacing.plan().speed);
            let knocker = shared.knocker(speed);
            knock = Some(Box::pin(async move {
                let trace = knocker.knock(&target.probe, target.lane).await;
                if let Outcome::Inconclusive(reason @ (Reason::OwnAddress | Reason::Forbidden)) = trace.outcome {
                    let (id, why) = (&target.entry_point, trace.detail.as_deref().unwrap_or_default());
                    tracing::warn!(entry_point = id, %reason, why, "the plan asks for what cannot be: look at the inventory");
                }
                tracing::debug!(entry_point = target.entry_point, outcome = ?trace.outcome, detail = trace.detail, "knocked");
                trace.outcome
            }));
        }
        let wait = pacing.poll_timeout().since(clock::since_boot());
        tokio::select! {
            outcome = running(&mut knock) => {
                knock = None;
                pacing.handle_outcome(outcome, clock::since_boot());
            }
            Ok(()) = plans.changed() => {
                let plan = plans.borrow_and_update().as_ref().map(|plan| (**plan).clone());
                if let Some(plan) = plan {
                    pacing.handle_plan(plan, clock::since_boot());
                }
            }
            // A timer may fire a moment early; a moment later is as good.
            () = tokio::time::sleep(wait.max(Duration::from_millis(1))) => pacing.handle_tick(clock::since_boot()),
        }
    }
}

async fn running(knock: &mut Option<Knock>) -> Outcome {
    match knock {
        Some(knock) => knock.await,
        None => std::future::pending().await,
    }
}
