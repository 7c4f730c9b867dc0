//! Makes a report of each round: the outcomes, the self-check, when it was seen.
//!
//! A round that takes long is no reason for silence: at least every minute the self-check goes alone, without outcomes.

use std::sync::Arc;
use std::time::Duration;

use quorate_core::lane::Lane;
use quorate_core::outcome::{FailureKind, Outcome, Reason};
use quorate_core::pacing::Round;
use quorate_core::plan::ProbePlan;
use quorate_core::probe::{Probe, ProbeKind};
use quorate_proto::{outcomes, v1};
use tokio::sync::mpsc;

use crate::clock;
use crate::limits::{AddressLimits, host_port};
use crate::probe::Knocker;
use crate::selfcheck::SelfChecker;
use crate::shared::Shared;
use crate::spool::Observed;

/// Longest silence of an agent that is well.
const BEAT: Duration = Duration::from_mins(1);

/// Ends when the rounds do.
pub(crate) async fn run(shared: Arc<Shared>, mut rounds: mpsc::Receiver<Round>) {
    let mut plans = shared.plan.subscribe();
    if plans.wait_for(Option::is_some).await.is_err() {
        return;
    }
    let mut checker = SelfChecker::default();
    let mut next: Option<Round> = None;
    loop {
        let Some(plan) = shared.plan.borrow().clone() else { return };
        let round = next.take().unwrap_or_else(|| heartbeat(&plan));
        report(&shared, &plan, &mut checker, round).await;
        match tokio::time::timeout(beat(plan.interval), rounds.recv()).await {
            Ok(Some(round)) => next = Some(round),
            Ok(None) => return,
            Err(_) => {}
        }
    }
}

/// Rounds end some time within their interval: half of one more is no silence yet.
fn beat(interval: Duration) -> Duration {
    if interval > BEAT { BEAT } else { interval * 3 / 2 }
}

fn heartbeat(plan: &ProbePlan) -> Round {
    Round { plan_version: plan.version, ended_at: clock::since_boot(), outcomes: Vec::new() }
}

async fn report(shared: &Shared, plan: &ProbePlan, checker: &mut SelfChecker, mut round: Round) {
    let failed = round.outcomes.iter().any(|outcome| matches!(outcome, Outcome::Failed(_)));
    if failed && !controls_answer(shared, plan).await {
        round.discount_failures(Reason::ControlsFailed);
    }
    let self_check = checker.check(shared, plan).await;
    let report = v1::Report {
        plan_version: round.plan_version,
        outcomes: outcomes::pack(&round.outcomes),
        self_check: Some(self_check),
        // Numbered and dated by the outbox.
        ..v1::Report::default()
    };
    shared.outbox.push(report, Observed::at(round.ended_at)).await;
}

/// Whether the witness has a network at all, as far as its neutral endpoints tell: one that answers is enough, and where
/// there are none the question is not asked.
async fn controls_answer(shared: &Shared, plan: &ProbePlan) -> bool {
    let planned = shared.knocker(plan.speed);
    // What the operator names in the agent's own file may be anywhere.
    let named = Knocker { addresses: AddressLimits::NONE, ..planned.clone() };
    let mut controls: Vec<(&Knocker, String)> = Vec::new();
    controls.extend(shared.config.controls.iter().map(|control| (&named, control.clone())));
    controls.extend(plan.controls.iter().map(|control| (&planned, control.clone())));
    if controls.is_empty() {
        return true;
    }
    for (knocker, control) in controls {
        let Some((host, port)) = host_port(&control) else { continue };
        let probe = Probe::new(ProbeKind::Tcp, host, port);
        for lane in [Lane::Tcp4, Lane::Tcp6] {
            let answered = match knocker.knock(&probe, lane).await.outcome {
                Outcome::Reached { .. } => true,
                // A refusal came over the network too.
                Outcome::Failed(failure) => failure.kind == FailureKind::ConnectionRefused,
                Outcome::Inconclusive(_) => false,
            };
            if answered {
                return true;
            }
        }
    }
    tracing::warn!("no control answers: the failures of this round count for nothing");
    false
}
