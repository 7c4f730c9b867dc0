//! The machine of rounds, driven as its text says.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;

use super::*;
use crate::lane::Lane;
use crate::outcome::{Failure, FailureKind, Operation};
use crate::probe::{Probe, ProbeKind};

mod any_plan;
mod plans;
mod rounds;
mod stalls;

const REACHED: Outcome = Outcome::Reached { latency: Duration::from_millis(60) };
const TIMEOUT: Outcome = Outcome::Failed(Failure {
    operation: Operation::TlsHandshake,
    kind: FailureKind::Timeout,
    after: Duration::from_secs(8),
    bytes: 0,
});
const NOT_RUN: Outcome = Outcome::Inconclusive(Reason::NotRun);
const STALLED: Outcome = Outcome::Inconclusive(Reason::Stalled);

fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// At the default pace: `tcp` TLS targets and then `udp` QUIC ones, `t0`, `t1`, ….
fn plan(tcp: usize, udp: usize) -> ProbePlan {
    let target = |at: usize| {
        let (lane, kind) = if at < tcp { (Lane::Tcp4, ProbeKind::Tls) } else { (Lane::Udp4, ProbeKind::Quic) };
        let probe = Probe::new(kind, format!("192.0.2.{at}"), 443);
        Target { entry_point: format!("t{at}"), server: format!("s{at}"), lane, probe }
    };
    ProbePlan {
        version: 1,
        interval: secs(60),
        min_spacing: secs(2),
        targets: (0..tcp + udp).map(target).collect(),
        own: Vec::new(),
        controls: Vec::new(),
        speed: 1,
    }
}

/// A time in which the driver does not run.
struct Pause {
    from: Duration,
    span: Duration,
}

struct Start {
    at: Moment,
    ended_at: Moment,
    round: usize,
    target: usize,
}

/// What a driver saw.
#[derive(Default)]
struct Street {
    now: Moment,
    starts: Vec<Start>,
    rounds: Vec<Round>,
    running: Option<(Moment, Outcome)>,
}

impl Street {
    fn walk(
        plan: ProbePlan,
        seed: u64,
        until: Duration,
        answer: impl FnMut(&Target, usize) -> (Outcome, Duration),
    ) -> Self {
        Self::walk_with(plan, seed, until, &[], answer)
    }

    fn walk_with(
        plan: ProbePlan,
        seed: u64,
        until: Duration,
        pauses: &[Pause],
        mut answer: impl FnMut(&Target, usize) -> (Outcome, Duration),
    ) -> Self {
        let mut street = Self::default();
        let mut pacing = Pacing::new(plan, seed, Moment::ZERO);
        street.drive(&mut pacing, until, pauses, &mut answer);
        street
    }

    /// Calls the machine as its text says, on a clock that jumps from event to event.
    fn drive(
        &mut self,
        pacing: &mut Pacing,
        until: Duration,
        pauses: &[Pause],
        answer: &mut impl FnMut(&Target, usize) -> (Outcome, Duration),
    ) {
        let until = Moment::ZERO.after(until);
        loop {
            self.rounds.extend(pacing.poll_round());
            assert!(pacing.poll_round().is_none(), "a round is told once");
            if let Some(target) = pacing.poll_probe() {
                assert!(self.running.is_none(), "two probes at once");
                let (outcome, took) = answer(target, self.rounds.len());
                let id = target.entry_point.clone();
                let ends_at = self.now.after(took);
                self.running = Some((ends_at, outcome));
                let target = pacing.plan().targets.iter().position(|target| target.entry_point == id).unwrap();
                self.starts.push(Start { at: self.now, ended_at: ends_at, round: self.rounds.len(), target });
            }
            assert!(pacing.poll_probe().is_none(), "a target is handed out once");
            let timeout = pacing.poll_timeout();
            assert!(timeout > self.now, "a busy loop");
            let ends_at = self.running.map(|(ends_at, _)| ends_at);
            let event = ends_at.map_or(timeout, |ends_at| ends_at.min(timeout)).max(self.now);
            let event = pauses.iter().fold(event, |event, pause| {
                let (from, to) = (Moment::ZERO.after(pause.from), Moment::ZERO.after(pause.from + pause.span));
                if event > from && event < to { to } else { event }
            });
            if event > until {
                return;
            }
            self.now = event;
            match self.running {
                Some((ends_at, outcome)) if ends_at <= event => {
                    self.running = None;
                    if let Some(start) = self.starts.last_mut() {
                        start.ended_at = event;
                    }
                    pacing.handle_outcome(outcome, event);
                }
                _ => pacing.handle_tick(event),
            }
        }
    }

    fn timeline(&self) -> String {
        let mut lines: Vec<(Moment, String)> = self
            .starts
            .iter()
            .map(|start| (start.at, format!("{} ms  t{}", start.at.as_ms(), start.target)))
            .chain(self.rounds.iter().map(|round| {
                let words: Vec<String> = round
                    .outcomes
                    .iter()
                    .map(|outcome| match outcome {
                        Outcome::Reached { .. } => "reached".to_string(),
                        Outcome::Failed(failure) => failure.kind.to_string(),
                        Outcome::Inconclusive(reason) => reason.to_string(),
                    })
                    .collect();
                (round.ended_at, format!("{} ms  round: {}", round.ended_at.as_ms(), words.join(", ")))
            }))
            .collect();
        lines.sort_by_key(|(at, _)| *at);
        lines.into_iter().map(|(_, line)| line + "\n").collect()
    }
}
