//! Plans on the wire: [`to_wire`] and [`from_wire`].
//!
//! A plan that arrives is either taken whole or refused whole with the first thing that is wrong in it; there is no half
//! of a plan, because outcomes are told apart by their place in it alone.

use core::net::IpAddr;
use core::time::Duration;

use quorate_core::lane::Lane;
use quorate_core::plan::{ProbePlan, Target};
use quorate_core::probe::{Probe, ProbeKind, Verify};

use crate::v1;

#[cfg(test)]
mod tests;

/// Longest id of an entry point or server, in bytes.
pub const ID_BYTES_MAX: usize = 255;
/// Longest host or SNI: a DNS name has at most 253 characters.
pub const HOST_BYTES_MAX: usize = 253;
/// Longest neutral endpoint: a host, a colon and a port.
pub const CONTROL_BYTES_MAX: usize = HOST_BYTES_MAX + 6;
/// Longest request path.
pub const PATH_BYTES_MAX: usize = 2_048;
/// Most ALPN protocols of a probe; a client offers two or three.
pub const ALPN_MAX: usize = 8;
/// Longest ALPN protocol: its length is one byte in TLS.
pub const ALPN_BYTES_MAX: usize = 255;
/// Most pins of a probe: a key, its successor and room for a few more.
pub const PINS_MAX: usize = 16;

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

/// What is wrong with a target.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetFlaw {
    /// An empty field that must not be.
    #[error("{0} is empty")]
    Empty(&'static str),
    /// A text longer than its limit.
    #[error("{field} has {bytes} bytes: at most {limit} are supported")]
    TooLong {
        /// Of the message.
        field: &'static str,
        /// Its length.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// A list longer than its limit.
    #[error("{count} {what}: at most {limit} are supported")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// No lane of this build.
    #[error("unknown lane '{0}': use tcp4, tcp6, udp4 or udp6")]
    Lane(String),
    /// No probe of this build.
    #[error("unknown probe '{0}': use tcp, tls, https, quic or quic_http3")]
    Probe(String),
    /// The probe's transport is not the lane's.
    #[error("a {probe} probe cannot run on lane {lane}")]
    Transport {
        /// What to do.
        probe: ProbeKind,
        /// Where.
        lane: Lane,
    },
    /// The address is of the other family.
    #[error("address {host} is not of lane {lane}'s family")]
    Family {
        /// What is dialled.
        host: String,
        /// The lane.
        lane: Lane,
    },
    /// No port.
    #[error("port {0} is not in 1 to 65535")]
    Port(u32),
    /// No way to verify of this build.
    #[error("unknown verify '{0}': use webpki, pin or none")]
    Verify(String),
    /// `pin` without pins: no certificate could pass.
    #[error("verify is pin, but there is no pin")]
    NoPins,
    /// Pins that nothing would look at.
    #[error("there are pins, but verify is {0}")]
    IdlePins(String),
    /// No SHA-256.
    #[error("a pin has {0} bytes: a SHA-256 has 32")]
    PinLength(usize),
    /// No HTTP status.
    #[error("expect_status {0} is not in 100 to 599")]
    Status(u32),
    /// No request path.
    #[error("path '{0}' does not begin with '/'")]
    Path(String),
    /// More than a counter of rounds holds.
    #[error("every is {0}: use at most 65535")]
    Every(u32),
}

/// The plan as it is sent.
pub fn to_wire(plan: &ProbePlan) -> v1::Plan {
    v1::Plan {
        version: plan.version,
        interval_ms: ms(plan.interval),
        min_spacing_ms: ms(plan.min_spacing),
        targets: plan.targets.iter().map(target_to_wire).collect(),
        own: plan.own.iter().map(target_to_wire).collect(),
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
            target_from_wire(sent).map_err(|flaw| PlanError::Target { entry_point, flaw })
        })
        .collect()
}

fn target_from_wire(sent: v1::Target) -> Result<Target, TargetFlaw> {
    text("entry_point", &sent.entry_point, ID_BYTES_MAX)?;
    text("server", &sent.server, ID_BYTES_MAX)?;
    text("host", &sent.host, HOST_BYTES_MAX)?;
    let lane: Lane = sent.lane.parse().map_err(|_| TargetFlaw::Lane(clipped(&sent.lane)))?;
    let kind: ProbeKind = sent.probe.parse().map_err(|_| TargetFlaw::Probe(clipped(&sent.probe)))?;
    if kind.is_udp() != lane.is_udp() {
        return Err(TargetFlaw::Transport { probe: kind, lane });
    }
    if sent.host.parse::<IpAddr>().is_ok_and(|address| address.is_ipv6() != lane.is_ipv6()) {
        return Err(TargetFlaw::Family { host: sent.host, lane });
    }
    let port = u16::try_from(sent.port).ok().filter(|port| *port > 0).ok_or(TargetFlaw::Port(sent.port))?;
    Ok(Target {
        entry_point: sent.entry_point,
        server: sent.server,
        lane,
        probe: Probe {
            kind,
            host: sent.host,
            port,
            sni: sni(sent.sni)?,
            alpn: alpn(sent.alpn)?,
            verify: verify(&sent.verify, &sent.pins)?,
            path: path(sent.path)?,
            expect_status: status(sent.expect_status)?,
            min_bytes: sent.min_bytes,
            every: u16::try_from(sent.every).map_err(|_| TargetFlaw::Every(sent.every))?.max(1),
        },
    })
}

/// One entry point as it is sent.
pub fn target_to_wire(target: &Target) -> v1::Target {
    let probe = &target.probe;
    let (verify, pins) = match &probe.verify {
        Verify::WebPki => ("webpki", Vec::new()),
        Verify::Pin(pins) => ("pin", pins.iter().map(|pin| pin.to_vec()).collect()),
        Verify::None => ("none", Vec::new()),
    };
    v1::Target {
        entry_point: target.entry_point.clone(),
        server: target.server.clone(),
        lane: target.lane.as_str().to_owned(),
        probe: probe.kind.as_str().to_owned(),
        host: probe.host.clone(),
        port: u32::from(probe.port),
        sni: probe.sni.clone().unwrap_or_default(),
        alpn: probe.alpn.clone(),
        verify: verify.to_owned(),
        pins,
        path: probe.path.clone(),
        expect_status: u32::from(probe.expect_status.unwrap_or(0)),
        min_bytes: probe.min_bytes,
        every: u32::from(probe.every),
    }
}

fn sni(sent: String) -> Result<Option<String>, TargetFlaw> {
    if sent.is_empty() {
        return Ok(None);
    }
    text("sni", &sent, HOST_BYTES_MAX)?;
    Ok(Some(sent))
}

fn alpn(sent: Vec<String>) -> Result<Vec<String>, TargetFlaw> {
    if sent.len() > ALPN_MAX {
        return Err(TargetFlaw::TooMany { what: "ALPN protocols", count: sent.len(), limit: ALPN_MAX });
    }
    for protocol in &sent {
        text("alpn", protocol, ALPN_BYTES_MAX)?;
    }
    Ok(sent)
}

fn verify(word: &str, pins: &[Vec<u8>]) -> Result<Verify, TargetFlaw> {
    let verify = match word {
        "" | "webpki" => Verify::WebPki,
        "none" => Verify::None,
        "pin" => return checked_pins(pins).map(Verify::Pin),
        unknown => return Err(TargetFlaw::Verify(clipped(unknown))),
    };
    if pins.is_empty() { Ok(verify) } else { Err(TargetFlaw::IdlePins(word.to_owned())) }
}

fn checked_pins(pins: &[Vec<u8>]) -> Result<Vec<[u8; 32]>, TargetFlaw> {
    if pins.is_empty() {
        return Err(TargetFlaw::NoPins);
    }
    if pins.len() > PINS_MAX {
        return Err(TargetFlaw::TooMany { what: "pins", count: pins.len(), limit: PINS_MAX });
    }
    pins.iter().map(|pin| pin.as_slice().try_into().map_err(|_| TargetFlaw::PinLength(pin.len()))).collect()
}

fn path(sent: String) -> Result<String, TargetFlaw> {
    if sent.is_empty() {
        return Ok(String::from("/"));
    }
    text("path", &sent, PATH_BYTES_MAX)?;
    if sent.starts_with('/') { Ok(sent) } else { Err(TargetFlaw::Path(clipped(&sent))) }
}

fn status(sent: u32) -> Result<Option<u16>, TargetFlaw> {
    match u16::try_from(sent) {
        Ok(0) => Ok(None),
        Ok(status @ 100..=599) => Ok(Some(status)),
        _ => Err(TargetFlaw::Status(sent)),
    }
}

fn text(field: &'static str, text: &str, limit: usize) -> Result<(), TargetFlaw> {
    match text.len() {
        0 => Err(TargetFlaw::Empty(field)),
        bytes if bytes > limit => Err(TargetFlaw::TooLong { field, bytes, limit }),
        _ => Ok(()),
    }
}

/// A peer's word as a message quotes it: one line, not longer than a person reads.
fn clipped(word: &str) -> String {
    word.chars().take(64).flat_map(char::escape_debug).collect()
}

/// Whole milliseconds; core's own spans all fit.
fn ms(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}
