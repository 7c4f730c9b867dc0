//! What a simulated report is: a real one that carries a number by which the simulation knows it again.

use prost::Message as _;
use quorate_core::fleet::{EntryIx, Fleet};
use quorate_core::outcome::Outcome;
use quorate_core::plan::{ProbePlan, Target};
use quorate_core::report::Health;
use quorate_proto::{outcomes, v1};

/// A report that was sent.
pub struct Letter {
    pub serial: u64,
    pub report: v1::Report,
}

/// A report about a round by `plan`; a self-check alone where there is no plan.
pub fn write(serial: u64, plan: Option<&ProbePlan>, found: &[Outcome], health: Health) -> v1::Report {
    let health = match health {
        Health::Ok => v1::Health::Ok,
        Health::Down => v1::Health::Down,
    };
    let metrics = v1::Metrics { uptime_s: Some(serial), ..v1::Metrics::default() };
    v1::Report {
        plan_version: plan.map_or(0, |plan| plan.version),
        outcomes: if found.is_empty() { Vec::new() } else { outcomes::pack(found) },
        self_check: Some(v1::SelfCheck { health: health.into(), metrics: Some(metrics), ..v1::SelfCheck::default() }),
        ..v1::Report::default()
    }
}

/// A report as the store has it.
pub fn read(payload: &[u8]) -> Result<Letter, String> {
    let report = v1::Report::decode(payload).map_err(|error| format!("a stored report cannot be read: {error}"))?;
    let serial = serial(&report).ok_or("a stored report has no number")?;
    Ok(Letter { serial, report })
}

/// The number of a report.
pub fn serial(report: &v1::Report) -> Option<u64> {
    report.self_check.as_ref()?.metrics.as_ref()?.uptime_s
}

/// How a target of a plan is dialled, in words that only compare.
pub fn dialled_by(target: &Target) -> String {
    format!("{:?} {:?}", target.lane, target.probe)
}

/// The same of an entry point of a fleet.
pub fn dialled(fleet: &Fleet, ix: EntryIx) -> Option<String> {
    let entry_point = fleet.entry_point(ix);
    entry_point.probe.as_ref().map(|probe| format!("{:?} {probe:?}", entry_point.lane))
}
