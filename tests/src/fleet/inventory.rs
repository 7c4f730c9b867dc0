//! What a fleet of the lab consists of, as the operator would declare it in one TOML file.

use std::time::Duration;

use crate::certificate::{Certificate, NAME};
use crate::network::Host;

/// How fast the time of a fleet runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// One round.
    pub round: Duration,
    /// Policy.
    pub stale_after: Duration,
    /// Policy.
    pub sustain_for: Duration,
    /// Policy.
    pub hold_for: Duration,
    /// Probe budgets are divided by this.
    pub speed: u32,
    /// Policy.
    pub min_spacing: Duration,
}

impl Pace {
    /// The spans of the default policy by 30, `hold_for` among them. A failed knock costs a fifteenth of its documented
    /// time: half a second, well past what a busy machine needs for a handshake.
    pub const LAB: Self = Self {
        round: Duration::from_secs(2),
        stale_after: Duration::from_secs(8),
        sustain_for: Duration::from_secs(3),
        hold_for: Duration::from_secs(30),
        speed: 15,
        min_spacing: Duration::from_millis(25),
    };

    /// The same in rounds of another length.
    pub const fn in_rounds_of(round: Duration) -> Self {
        Self { round, ..Self::LAB }
    }

    fn policy(&self) -> String {
        let Self { round, stale_after, sustain_for, hold_for, speed, min_spacing } = self;
        let [round, stale_after, sustain_for, hold_for, min_spacing] =
            [round, stale_after, sustain_for, hold_for, min_spacing].map(Duration::as_millis);
        format!(
            "[policy]\ninterval_ms = {round}\nstale_after_ms = {stale_after}\nsustain_for_ms = {sustain_for}\n\
             hold_for_ms = {hold_for}\nmin_spacing_ms = {min_spacing}\nspeed = {speed}\n"
        )
    }
}

/// A way in that every server of a fleet has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// `‹server›/tls`: TLS over IPv4.
    Tls,
    /// `‹server›/tls6`: TLS over IPv6.
    Tls6,
    /// `‹server›/https`: TLS and a page of 64 KiB over IPv4.
    Https,
    /// `‹server›/quic`: QUIC over IPv4.
    Quic,
}

impl Way {
    const fn name(self) -> &'static str {
        match self {
            Self::Tls => "tls",
            Self::Tls6 => "tls6",
            Self::Https => "https",
            Self::Quic => "quic",
        }
    }

    const fn probe(self) -> &'static str {
        match self {
            Self::Tls | Self::Tls6 => "tls",
            Self::Https => "https",
            Self::Quic => "quic",
        }
    }
}

/// A server of a fleet. Its country is the first half of its id in capitals, its site its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// Like `nl-1`.
    pub id: &'static str,
    /// R9.
    pub verifier: bool,
}

/// A server whose word is ordinary.
pub const fn server(id: &'static str) -> Member {
    Member { id, verifier: false }
}

/// A server whose word on a single pair is trusted.
pub const fn verifier(id: &'static str) -> Member {
    Member { id, verifier: true }
}

/// Three countries: three servers, two, and three behind a border to be.
pub const EIGHT: &[Member] = &[
    server("nl-1"),
    server("nl-2"),
    server("nl-3"),
    server("de-1"),
    server("de-2"),
    server("ru-1"),
    server("ru-2"),
    server("ru-3"),
];

/// As few as a country that cannot reach a server takes: two that accuse, and two elsewhere that vouch.
pub const FIVE: &[Member] = &[server("nl-1"), server("nl-2"), server("de-1"), server("ru-1"), server("ru-2")];

impl Member {
    /// Two capital letters.
    pub fn country(&self) -> String {
        self.id.split('-').next().unwrap_or_default().to_uppercase()
    }
}

/// The file: every member with every way in, and one route with all of them.
pub fn declare(members: &[(Member, Host)], ways: &[Way], certificate: &Certificate, pace: Pace) -> String {
    let mut text = pace.policy();
    let mut ids = Vec::new();
    for (member, host) in members {
        let (id, country, address) = (member.id, member.country(), host.ipv4());
        text.push_str(&format!("\n[[servers]]\nid = \"{id}\"\naddress = \"{address}\"\n"));
        text.push_str(&format!("country = \"{country}\"\nsite = \"{id}\"\nverifier = {}\n", member.verifier));
        for way in ways {
            text.push_str(&entry_point(*way, *host, certificate));
            ids.push(format!("\"{id}/{}\"", way.name()));
        }
    }
    if !ids.is_empty() {
        text.push_str(&format!("\n[[routes]]\nid = \"all\"\nentry_points = [{}]\n", ids.join(", ")));
    }
    text
}

/// An edge for that file, which must say where its connections come from.
pub fn declare_edge(id: &str, host: Host) -> String {
    let (v4, v6) = (host.ipv4(), host.ipv6());
    format!("\n[[edges]]\nid = \"{id}\"\nnetworks = [\"{v4}\", \"{v6}\"]\nproxy = \"require\"\n")
}

fn entry_point(way: Way, host: Host, certificate: &Certificate) -> String {
    let (name, probe, pin) = (way.name(), way.probe(), &certificate.pin);
    let mut text = format!("[[servers.entry_points]]\nname = \"{name}\"\nprobe = \"{probe}\"\n");
    text.push_str(&format!("sni = \"{NAME}\"\nverify = \"pin\"\npins = [\"{pin}\"]\n"));
    match way {
        Way::Tls6 => text.push_str(&format!("address = \"{}\"\n", host.ipv6())),
        Way::Https => text.push_str("every = 1\n"),
        Way::Tls | Way::Quic => {}
    }
    text
}
