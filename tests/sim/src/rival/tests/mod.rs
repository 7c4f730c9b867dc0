//! Small timelines: what defines each rival, on both sides of each of its thresholds.

mod baselines;
mod cases;
mod ceph;
mod cloudflare;
mod frame;
mod maddash;
mod quorate;
mod rapid;
mod route53;
mod settled;
mod tuning;

use std::sync::Arc;
use std::time::Duration;

use quorate_core::fleet::{EntryPointSpec, Fleet, Intent, RouteSpec, ServerIx, ServerSpec};
use quorate_core::lane::Lane;
use quorate_core::outcome::{Failure, FailureKind, Operation, Outcome, Reason};
use quorate_core::policy::Policy;
use quorate_core::report::{Health, Report, Sequence};
use quorate_core::time::Moment;

use super::Kind;
use crate::detector::{Detector, Findings};
use crate::tape::{Setting, Step};

const ROUND: Duration = Duration::from_secs(60);
/// No server.
const NOBODY: Vec<usize> = Vec::new();

/// What a witness sees of an entry point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    Up,
    Down,
    Refused,
    /// Its own trouble.
    Unsure,
}

impl Look {
    fn outcome(self) -> Outcome {
        let failed = |kind| Failure { operation: Operation::Connect, kind, after: ROUND, bytes: 0 };
        match self {
            Self::Up => Outcome::Reached { latency: Duration::from_millis(20) },
            Self::Down => Outcome::Failed(failed(FailureKind::Timeout)),
            Self::Refused => Outcome::Failed(failed(FailureKind::ConnectionRefused)),
            Self::Unsure => Outcome::Inconclusive(Reason::Stalled),
        }
    }
}

/// A fleet's server by its number: `s07`, at its own site in no country, with one entry point.
fn server(number: usize) -> ServerSpec {
    let id = format!("s{number:02}");
    let entry_point = EntryPointSpec {
        id: format!("{id}/tls"),
        lane: Lane::Tcp4,
        address: None,
        probe: None,
        upstreams: Vec::new(),
        weight: 1,
    };
    ServerSpec {
        id,
        country: None,
        site: None,
        verifier: false,
        intent: Intent::Active,
        entry_points: vec![entry_point],
    }
}

/// So many servers as [`server`] makes them, changed by `change`, and one route through them all.
fn fleet(count: usize, change: impl Fn(usize, &mut ServerSpec)) -> Arc<Fleet> {
    let servers = (0..count).map(|number| {
        let mut server = server(number);
        change(number, &mut server);
        server
    });
    let servers: Vec<ServerSpec> = servers.collect();
    let own = servers.iter().flat_map(|server| &server.entry_points);
    let route =
        RouteSpec { id: "all".to_owned(), entry_points: own.map(|entry| entry.id.clone()).collect(), audience: vec![] };
    Arc::new(Fleet::new(servers, vec![route]).expect("a made-up fleet is one"))
}

fn plain(count: usize) -> Arc<Fleet> {
    fleet(count, |_, _| {})
}

fn setting(fleet: &Arc<Fleet>) -> Setting {
    Setting { fleet: fleet.clone(), policy: Policy::default(), interval: ROUND, ends_at: Moment::MAX }
}

/// Rounds of all servers, played to one detector.
struct Play {
    fleet: Arc<Fleet>,
    detector: Box<dyn Detector>,
    round: u64,
}

impl Play {
    fn of(kind: Kind, fleet: &Arc<Fleet>) -> Self {
        Self::with(kind.detector(&setting(fleet), None), fleet)
    }

    fn with(detector: Box<dyn Detector>, fleet: &Arc<Fleet>) -> Self {
        Self { fleet: fleet.clone(), detector, round: 0 }
    }

    fn now(&self) -> Moment {
        Moment::ZERO.after(ROUND * u32::try_from(self.round).expect("a test has few rounds"))
    }

    /// A round in which `looks` says what each witness sees of each target, by the numbers of the servers.
    fn round(&mut self, looks: impl Fn(usize, usize) -> Look) -> Vec<usize> {
        self.round_of(|_| Some(Health::Ok), looks)
    }

    /// The same; `words` says what each server says of itself, if it says anything.
    fn round_of(
        &mut self,
        words: impl Fn(usize) -> Option<Health>,
        looks: impl Fn(usize, usize) -> Look,
    ) -> Vec<usize> {
        self.round += 1;
        for witness in self.fleet.server_ixs() {
            let Some(health) = words(witness.at()) else { continue };
            let report = self.report(witness, health, &looks);
            self.detector.take(self.now(), &Step::Report(report));
        }
        self.judge()
    }

    fn report(&self, witness: ServerIx, health: Health, looks: &impl Fn(usize, usize) -> Look) -> Report {
        let others = self.fleet.entry_ixs().filter(|ix| self.fleet.entry_point(*ix).server != witness);
        let outcomes =
            others.map(|ix| (ix, looks(witness.at(), self.fleet.entry_point(ix).server.at()).outcome())).collect();
        let sequence = Some(Sequence { outbox: "o".to_owned(), number: self.round });
        Report { witness, observed_at: self.now(), health, outcomes, sequence }
    }

    /// What is removed, by the numbers of the servers.
    fn judge(&mut self) -> Vec<usize> {
        self.detector.take(self.now(), &Step::Judge);
        self.servers(&self.findings().removed)
    }

    fn findings(&self) -> &Findings {
        self.detector.findings()
    }

    fn doubted(&self) -> Vec<usize> {
        self.servers(&self.findings().doubted)
    }

    fn servers(&self, entry_points: &std::collections::BTreeSet<quorate_core::fleet::EntryIx>) -> Vec<usize> {
        entry_points.iter().map(|ix| self.fleet.entry_point(*ix).server.at()).collect()
    }

    /// So many rounds of the same; what was removed after each.
    fn rounds(&mut self, count: usize, looks: impl Fn(usize, usize) -> Look) -> Vec<Vec<usize>> {
        (0..count).map(|_| self.round(&looks)).collect()
    }
}

/// Everybody is up.
fn well(_: usize, _: usize) -> Look {
    Look::Up
}

/// Nobody reaches these servers, and they reach everybody.
fn dead(targets: &[usize]) -> impl Fn(usize, usize) -> Look + '_ {
    |_, target| if targets.contains(&target) { Look::Down } else { Look::Up }
}

/// These witnesses do not reach that server.
fn seen_down(by: impl Fn(usize) -> bool, target: usize) -> impl Fn(usize, usize) -> Look {
    move |witness, looked_at| if looked_at == target && by(witness) { Look::Down } else { Look::Up }
}
