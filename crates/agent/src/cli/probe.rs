//! `quorate-agent probe HOST`: one knock, told step by step.

use std::net::IpAddr;
use std::process::ExitCode;

use anyhow::Context as _;
use quorate_core::lane::Lane;
use quorate_core::outcome::Outcome;
use quorate_core::probe::{Probe, ProbeKind, Verify};
use serde_json::json;

use super::print::{self, ms, ms_text};
use crate::limits::AddressLimits;
use crate::probe::{Knocker, OwnAddresses, Trace, public_roots};

const ERROR: u8 = 2;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// An address, or a name for the system's resolver.
    host: String,
    #[arg(long, default_value = "tls", help = "tcp, tls, https, quic or quic_http3")]
    kind: ProbeKind,
    /// Port.
    #[arg(long, default_value_t = 443)]
    port: u16,
    /// Name in the handshake; the host when not given.
    #[arg(long)]
    sni: Option<String>,
    /// ALPN protocols, separated by commas; the kind's own when not given.
    #[arg(long, value_delimiter = ',')]
    alpn: Vec<String>,
    /// Accept any certificate.
    #[arg(long, conflicts_with = "pin")]
    insecure: bool,
    #[arg(long, help = "Accept only this key: SHA-256 of its SubjectPublicKeyInfo, hexadecimal; may be repeated")]
    pin: Vec<String>,
    #[arg(long, default_value = "/", help = "Request path of https and quic_http3")]
    path: String,
    /// Status that the response must have.
    #[arg(long)]
    expect_status: Option<u16>,
    /// Body bytes that https waits for.
    #[arg(long, default_value_t = Probe::MIN_BYTES)]
    min_bytes: u32,
    /// Knock over IPv6 where the host is a name.
    #[arg(long, short = '6')]
    ipv6: bool,
    /// Knock from this address.
    #[arg(long)]
    source: Vec<IpAddr>,
    /// One JSON object.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let mut probe = Probe::new(self.kind, &self.host, self.port);
        probe.verify = self.verify()?;
        probe.sni = self.sni.clone();
        probe.alpn = self.alpn.clone();
        probe.path.clone_from(&self.path);
        probe.expect_status = self.expect_status;
        probe.min_bytes = self.min_bytes;
        let is_ipv6 = self.host.parse::<IpAddr>().map_or(self.ipv6, |ip| ip.to_canonical().is_ipv6());
        let lane = match (self.kind.is_udp(), is_ipv6) {
            (false, false) => Lane::Tcp4,
            (false, true) => Lane::Tcp6,
            (true, false) => Lane::Udp4,
            (true, true) => Lane::Udp6,
        };
        let knocker = Knocker {
            sources: self.source.clone(),
            addresses: AddressLimits::NONE,
            own: OwnAddresses::Allowed,
            roots: public_roots(),
            speed: 1,
            clock_offset_ms: None,
        };
        let trace = knocker.knock(&probe, lane).await;
        if self.json {
            print::line(as_json(&self, lane, &trace))?;
        } else {
            for (step, finding) in steps(&trace) {
                print::line(format_args!("{step:<12} {finding}"))?;
            }
        }
        Ok(match trace.outcome {
            Outcome::Reached { .. } => ExitCode::SUCCESS,
            Outcome::Failed(_) => ExitCode::FAILURE,
            Outcome::Inconclusive(_) => ExitCode::from(ERROR),
        })
    }

    fn verify(&self) -> anyhow::Result<Verify> {
        if self.insecure {
            return Ok(Verify::None);
        }
        if self.pin.is_empty() {
            return Ok(Verify::WebPki);
        }
        let pins = self.pin.iter().map(|text| {
            from_hex(text).with_context(|| format!("--pin {text}: a pin is a SHA-256, 64 hexadecimal digits"))
        });
        Ok(Verify::Pin(pins.collect::<anyhow::Result<_>>()?))
    }
}

fn from_hex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(bytes)
}

/// One line for each step that was taken, and the verdict.
fn steps(trace: &Trace) -> Vec<(&'static str, String)> {
    let mut steps = Vec::new();
    if let Some(address) = trace.address {
        steps.push(("address", address.to_string()));
    }
    if let Some(span) = trace.connect {
        steps.push(("connect", ms_text(span)));
    }
    if let Some(span) = trace.handshake {
        let version = trace.tls_version.unwrap_or("TLS");
        let alpn = trace.alpn.as_deref().map_or(String::new(), |alpn| format!(", {alpn}"));
        steps.push(("handshake", format!("{}  {version}{alpn}", ms_text(span))));
    }
    if let Some(span) = trace.first_byte {
        steps.push(("first byte", ms_text(span)));
    }
    if trace.bytes > 0 {
        steps.push(("body", format!("{} bytes", trace.bytes)));
    }
    steps.push(("verdict", verdict(trace)));
    if let Some(detail) = &trace.detail {
        steps.push(("because", detail.clone()));
    }
    steps
}

fn verdict(trace: &Trace) -> String {
    match trace.outcome {
        Outcome::Reached { latency } => format!("reached in {}", ms_text(latency)),
        Outcome::Failed(failure) => {
            format!("failed: {} in {} after {}", failure.kind, failure.operation, ms_text(failure.after))
        }
        Outcome::Inconclusive(reason) => format!("inconclusive: {reason} (the trouble is here, not there)"),
    }
}

fn as_json(arguments: &Arguments, lane: Lane, trace: &Trace) -> serde_json::Value {
    let (result, word, operation, took) = match trace.outcome {
        Outcome::Reached { latency } => ("reached", None, None, Some(latency)),
        Outcome::Failed(failure) => {
            ("failed", Some(failure.kind.as_str()), Some(failure.operation.as_str()), Some(failure.after))
        }
        Outcome::Inconclusive(reason) => ("inconclusive", Some(reason.as_str()), None, None),
    };
    json!({
        "host": arguments.host,
        "port": arguments.port,
        "kind": arguments.kind.as_str(),
        "lane": lane.as_str(),
        "address": trace.address.map(|address| address.to_string()),
        "result": result,
        "failure": word,
        "operation": operation,
        "took_ms": took.map(ms),
        "connect_ms": trace.connect.map(ms),
        "handshake_ms": trace.handshake.map(ms),
        "first_byte_ms": trace.first_byte.map(ms),
        "bytes": trace.bytes,
        "tls": trace.tls_version,
        "alpn": trace.alpn,
        "detail": trace.detail,
    })
}
