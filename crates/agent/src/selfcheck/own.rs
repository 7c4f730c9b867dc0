//! Own entry points: does something listen, and does a handshake complete as the probe demands.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use futures_util::StreamExt as _;
use futures_util::stream;
use quorate_core::outcome::Outcome;
use quorate_core::plan::{ProbePlan, Target};
use quorate_proto::v1;

use crate::clock;
use crate::limits::AddressLimits;
use crate::probe::{Knocker, OwnAddresses, Trace};
use crate::shared::Shared;

/// Own entry points that are looked at at once.
const AT_ONCE: usize = 4;

/// Budgets of the self-check are this many times longer than those of probes, where time is scaled.
const PATIENCE: u32 = 8;

const DAY_S: i64 = 86_400;

pub(super) async fn look(shared: &Shared, plan: &ProbePlan) -> Vec<v1::OwnEntryPoint> {
    // In a demo that runs sixty times as fast, a busy machine must not look like a dead service.
    let speed = plan.speed / PATIENCE;
    let knocker = Knocker { own: OwnAddresses::Only, addresses: AddressLimits::NONE, ..shared.knocker(speed) };
    let looks: Vec<_> = plan.own.iter().map(|target| look_at(knocker.clone(), target.clone())).collect();
    stream::iter(looks).buffered(AT_ONCE).collect().await
}

async fn look_at(knocker: Knocker, target: Target) -> v1::OwnEntryPoint {
    let mut trace = knocker.knock(&target.probe, target.lane).await;
    if !matches!(trace.outcome, Outcome::Reached { .. }) {
        // Behind address translation the own public address is none of this host's.
        let local = over_loopback(&knocker, &target).await;
        if better(&local.outcome, &trace.outcome) {
            trace = local;
        }
    }
    let (finding, detail) = match trace.outcome {
        Outcome::Reached { .. } => (v1::Finding::Ok, String::new()),
        Outcome::Failed(failure) => (v1::Finding::Failed, format!("{}: {}", failure.operation, failure.kind)),
        Outcome::Inconclusive(reason) => (v1::Finding::Unknown, reason.to_string()),
    };
    v1::OwnEntryPoint {
        entry_point: target.entry_point,
        finding: finding.into(),
        detail,
        certificate_days_left: trace.certificate_ends_s.map(days_left),
    }
}

async fn over_loopback(knocker: &Knocker, target: &Target) -> Trace {
    let mut probe = target.probe.clone();
    // The name in the handshake stays the same.
    probe.sni.get_or_insert_with(|| probe.host.clone());
    let loopback: IpAddr = if target.lane.is_ipv6() { Ipv6Addr::LOCALHOST.into() } else { Ipv4Addr::LOCALHOST.into() };
    probe.host = loopback.to_string();
    knocker.knock(&probe, target.lane).await
}

/// Reached is better than failed; a failure says more than an address that is not here at all.
fn better(a: &Outcome, b: &Outcome) -> bool {
    let rank = |outcome: &Outcome| match outcome {
        Outcome::Reached { .. } => 2,
        Outcome::Failed(_) => 1,
        Outcome::Inconclusive(_) => 0,
    };
    rank(a) > rank(b)
}

fn days_left(ends_s: i64) -> i32 {
    let now_s = (clock::wall().as_ms() / 1000).cast_signed();
    i32::try_from((ends_s - now_s).div_euclid(DAY_S)).unwrap_or(i32::MAX)
}
