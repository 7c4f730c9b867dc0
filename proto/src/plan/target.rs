//! One target on the wire: every field is checked, in the order of the message, and the first thing wrong is said.

use core::net::IpAddr;

use quorate_core::lane::Lane;
use quorate_core::plan::Target;
use quorate_core::probe::{Probe, ProbeKind, Verify};

use super::clipped;
use crate::v1;

/// Longest id of an entry point or server, in bytes.
pub const ID_BYTES_MAX: usize = 255;
/// Longest host or SNI: a DNS name has at most 253 characters.
pub const HOST_BYTES_MAX: usize = 253;
/// Longest request path.
pub const PATH_BYTES_MAX: usize = 2_048;
/// Most ALPN protocols of a probe; a client offers two or three.
pub const ALPN_MAX: usize = 8;
/// Longest ALPN protocol: its length is one byte in TLS.
pub const ALPN_BYTES_MAX: usize = 255;
/// Most pins of a probe: a key, its successor and room for a few more.
pub const PINS_MAX: usize = 16;

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

/// The target that was sent, if it is one.
pub fn from_wire(sent: v1::Target) -> Result<Target, TargetFlaw> {
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
pub fn to_wire(target: &Target) -> v1::Target {
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
