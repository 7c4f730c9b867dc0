//! Plans on the wire: [`to_wire`] and [`from_wire`].
//!
//! A plan that arrives is either taken whole or refused whole with the first thing that is wrong in it; there is no half
//! of a plan, because outcomes are told apart by their place in it alone.

use core::time::Duration;

use quorate_core::plan::{ProbePlan, Target};

use crate::v1;

use self::target::{HOST_BYTES_MAX, TargetFlaw};

pub mod target;
#[cfg(test)]
mod tests;

/// Longest neutral endpoint: a host, a colon and a port.
pub const CONTROL_BYTES_MAX: usize = HOST_BYTES_MAX + 6;

/// Why a plan was refused; the plan that the agent holds stays in force.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The version 0 means "no plan".
    #[error("plan has version 0, which means none: versions begin at 1")]
    NoVersion,
    /// A span out of bounds.
    #[error("{field} is {got_ms} ms: use 1 to {max_ms}")]
    Span {
        /// Of the message.
        field: &'static str,
        /// What was sent.
        got_ms: u64,
        /// The most.
        max_ms: u64,
    },
    /// A `speed` out of bounds.
    #[error("speed is {0}: use at most {max}", max = ProbePlan::SPEED_MAX)]
    Speed(u32),
    /// More than the limits allow.
    #[error("plan has {count} {what}: at most {limit} are supported")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// An entry point twice; the report could not tell whose outcome is whose.
    #[error("plan names entry point '{0}' twice")]
    Repeated(String),
    /// A neutral endpoint that cannot be dialled.
    #[error("control '{0}' is no host:port")]
    Control(String),
    /// Something is wrong with one target.
    #[error("entry point '{entry_point}': {flaw}")]
    Target {
        /// Which, as far as it could be read.
        entry_point: String,
        /// What is wrong.
        flaw: TargetFlaw,
    },
}

/// The plan as it is sent.
pub fn to_wire(plan: &ProbePlan) -> v1::Plan {
    v1::Plan {
        version: plan.version,
        interval_ms: ms(plan.interval),
        min_spacing_ms: ms(plan.min_spacing),
        targets: plan.targets.iter().map(target::to_wire).collect(),
        own: plan.own.iter().map(target::to_wire).collect(),
        controls: plan.controls.clone(),
        speed: plan.speed,
    }
}

/// The plan that was sent, if it is one.
///
/// An empty `sni`, an `expect_status` of 0 and an empty `verify` mean what the field's comment says; an empty `path` is
/// `/`, an `every` or `speed` of 0 is 1.
pub fn from_wire(plan: v1::Plan) -> Result<ProbePlan, PlanError> {
    if plan.version == 0 {
        return Err(PlanError::NoVersion);
    }
    let interval = span("interval_ms", plan.interval_ms, ms(ProbePlan::INTERVAL_MAX))?;
    let min_spacing = span("min_spacing_ms", plan.min_spacing_ms, ms(ProbePlan::INTERVAL_MAX))?;
    if plan.speed > ProbePlan::SPEED_MAX {
        return Err(PlanError::Speed(plan.speed));
    }
    at_most("targets", plan.targets.len(), ProbePlan::TARGETS_MAX)?;
    at_most("own entry points", plan.own.len(), ProbePlan::OWN_MAX)?;
    at_most("controls", plan.controls.len(), ProbePlan::CONTROLS_MAX)?;
    if let Some(control) = plan.controls.iter().find(|control| !is_host_port(control)) {
        return Err(PlanError::Control(clipped(control)));
    }
    Ok(ProbePlan {
        version: plan.version,
        interval,
        min_spacing,
        targets: targets(plan.targets)?,
        own: targets(plan.own)?,
        controls: plan.controls,
        speed: plan.speed.max(1),
    })
}

fn span(field: &'static str, got_ms: u64, max_ms: u64) -> Result<Duration, PlanError> {
    if (1..=max_ms).contains(&got_ms) {
        Ok(Duration::from_millis(got_ms))
    } else {
        Err(PlanError::Span { field, got_ms, max_ms })
    }
}

fn at_most(what: &'static str, count: usize, limit: usize) -> Result<(), PlanError> {
    if count > limit { Err(PlanError::TooMany { what, count, limit }) } else { Ok(()) }
}

fn is_host_port(control: &str) -> bool {
    let Some((host, port)) = control.rsplit_once(':') else { return false };
    control.len() <= CONTROL_BYTES_MAX && !host.is_empty() && port.parse::<u16>().is_ok_and(|port| port > 0)
}

fn targets(sent: Vec<v1::Target>) -> Result<Vec<Target>, PlanError> {
    let mut ids = std::collections::BTreeSet::new();
    if let Some(again) = sent.iter().find(|target| !ids.insert(target.entry_point.as_str())) {
        return Err(PlanError::Repeated(clipped(&again.entry_point)));
    }
    sent.into_iter()
        .map(|sent| {
            let entry_point = clipped(&sent.entry_point);
            target::from_wire(sent).map_err(|flaw| PlanError::Target { entry_point, flaw })
        })
        .collect()
}

/// A peer's word as a message quotes it: one line, not longer than a person reads.
fn clipped(word: &str) -> String {
    word.chars().take(64).flat_map(char::escape_debug).collect()
}

/// Whole milliseconds; core's own spans all fit.
fn ms(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}
