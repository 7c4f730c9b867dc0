//! What holds whatever the aggregator sends: a message is read or refused, and a plan that is taken is one that can be sent
//! again, walked, and never beyond the agent's own limits. Read by the fuzz target, and by the test of `quorate-agent` that
//! replays its corpus.
//!
//! An input is one `ToAgent`.

use core::time::Duration;
use std::collections::BTreeSet;

use prost::Message as _;
use quorate_agent::limits::{Limits, Ports};
use quorate_core::outcome::{Outcome, Reason};
use quorate_core::pacing::Pacing;
use quorate_core::plan::ProbePlan;
use quorate_core::time::Moment;
use quorate_proto::plan::{from_wire, to_wire};
use quorate_proto::v1::{ToAgent, to_agent};

/// Calls after which a walk is long enough.
const CALLS_MAX: usize = 64;

/// What an input was taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    /// No message.
    Unreadable,
    /// Of another kind than a plan.
    OtherKind,
    /// No plan.
    Refused,
    /// A plan, and beyond the limits that an agent has unless told otherwise.
    BeyondLimits,
    /// A plan that an agent takes.
    Taken,
}

/// Panics where something does not hold.
pub fn holds(bytes: &[u8]) -> Answer {
    let Ok(message) = ToAgent::decode(bytes) else { return Answer::Unreadable };
    let Some(to_agent::Kind::Plan(sent)) = message.kind else { return Answer::OtherKind };
    let plan = match from_wire(sent) {
        Ok(plan) => plan,
        Err(refusal) => {
            one_line(&refusal.to_string());
            return Answer::Refused;
        }
    };
    is_bounded(&plan);
    assert_eq!(from_wire(to_wire(&plan)).as_ref(), Ok(&plan), "a plan that was taken can be kept and read again");
    walk(&plan);
    let limits = Limits::default();
    match limits.check(&plan) {
        Ok(()) => {
            is_within(&plan, &limits);
            Answer::Taken
        }
        Err(refusal) => {
            one_line(&refusal.to_string());
            Answer::BeyondLimits
        }
    }
}

fn is_bounded(plan: &ProbePlan) {
    assert!(plan.version > 0 && (1..=ProbePlan::SPEED_MAX).contains(&plan.speed));
    assert!(plan.targets.len() <= ProbePlan::TARGETS_MAX && plan.own.len() <= ProbePlan::OWN_MAX);
    assert!(plan.controls.len() <= ProbePlan::CONTROLS_MAX);
    for span in [plan.interval, plan.min_spacing] {
        assert!(!span.is_zero() && span <= ProbePlan::INTERVAL_MAX);
    }
    let ids: BTreeSet<&str> = plan.targets.iter().map(|target| target.entry_point.as_str()).collect();
    assert_eq!(ids.len(), plan.targets.len(), "outcomes are told apart by their place");
}

/// What a stolen aggregator cannot make an agent do.
fn is_within(plan: &ProbePlan, limits: &Limits) {
    assert!(plan.min_spacing >= limits.min_spacing && plan.interval >= limits.min_spacing);
    let Ports::Only(ports) = &limits.ports else { panic!("only some ports are dialled unless told otherwise") };
    for target in plan.targets.iter().chain(&plan.own) {
        assert!(ports.contains(&target.probe.port));
    }
    for target in &plan.targets {
        let forbidden = target.probe.host.parse().ok().and_then(|ip| limits.addresses.forbids(ip));
        assert_eq!(forbidden, None, "a private address is not dialled");
    }
}

/// Two probes never run at once nor start within the spacing, and a round has an outcome for each target.
fn walk(plan: &ProbePlan) {
    let mut now = Moment::from_ms(1_000_000);
    let mut pacing = Pacing::new(plan.clone(), 7, now);
    let mut last_start: Option<Moment> = None;
    pacing.handle_tick(now);
    for _ in 0..CALLS_MAX {
        if let Some(round) = pacing.poll_round() {
            assert_eq!(round.outcomes.len(), plan.targets.len());
        }
        if pacing.poll_probe().is_some() {
            assert!(last_start.is_none_or(|last| now.since(last) >= plan.min_spacing), "knocks keep their distance");
            last_start = Some(now);
            now = now.after(Duration::from_millis(1));
            pacing.handle_outcome(Outcome::Inconclusive(Reason::NotRun), now);
            continue;
        }
        let next = pacing.poll_timeout();
        assert!(next >= now, "what is due is not in the past");
        now = next.max(now.after(Duration::from_millis(1)));
        pacing.handle_tick(now);
    }
}

fn one_line(told: &str) {
    assert!(!told.is_empty() && !told.contains(char::is_control), "told in one line: {told:?}");
}
