//! What a network can do to the connections that one host opens to another, as rules for the middlebox between them.
//!
//! A rule has a direction: it touches connections that `from` opens to `to`, and leaves those that `to` opens alone, as
//! real filters do.

use std::fmt::{self, Write as _};

use crate::network::Host;

/// What happens to a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// Packets vanish.
    Drop,
    /// TCP is answered by RST, UDP by ICMP port unreachable.
    Reset,
    /// TCP connects; the ClientHello and all after it vanish.
    ClientHelloDrop,
    /// TCP connects; the ClientHello is answered by RST.
    ClientHelloReset,
    /// The connection freezes both ways after 16 KiB from the server.
    Freeze16k,
    /// UDP to port 443 (QUIC) vanishes.
    Udp443,
    /// IPv6 vanishes.
    Ipv6,
    /// So many of a hundred packets vanish, both ways.
    LossPct(u8),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Drop => f.write_str("packets dropped"),
            Self::Reset => f.write_str("connections reset"),
            Self::ClientHelloDrop => f.write_str("ClientHello dropped"),
            Self::ClientHelloReset => f.write_str("reset after ClientHello"),
            Self::Freeze16k => f.write_str("frozen after 16 KB"),
            Self::Udp443 => f.write_str("UDP 443 dropped"),
            Self::Ipv6 => f.write_str("IPv6 dropped"),
            Self::LossPct(percent) => write!(f, "{percent} % of packets lost"),
        }
    }
}

/// A trouble in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Who opens the connections.
    pub from: Vec<Host>,
    /// To whom.
    pub to: Vec<Host>,
    /// What happens to them.
    pub trouble: Trouble,
}

/// Freezing begins past this many bytes from the server, headers counted.
const FREEZE_BYTES: u32 = 16_384;
/// Connections whose ClientHello was seen bear this mark.
const HELLO_MARK: &str = "0x7715";
/// A TLS record of type 22, version 3.x, whose handshake message is of type 1: at the head of the TCP payload.
const IS_CLIENT_HELLO: &str = "@ih,0,16 0x1603 @ih,40,8 0x01";

/// The whole ruleset, old rules replaced, as one transaction: there is no moment without rules or with half of them.
pub fn ruleset(rules: &[Rule]) -> String {
    let mut text = String::from("table inet lab\ndelete table inet lab\ntable inet lab {\n");
    text.push_str(" chain middle { type filter hook forward priority 0; policy accept;\n");
    // Any rule about connections switches their tracking on, so that a connection older than a trouble is known to it.
    text.push_str("  ct state invalid counter\n");
    for rule in rules {
        for family in [Family::V4, Family::V6] {
            lines(rule, family, &mut text);
        }
    }
    text.push_str(" }\n}\n");
    text
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    V4,
    V6,
}

fn lines(rule: &Rule, family: Family, text: &mut String) {
    // Neighbour discovery is not tracked as a connection, so no rule with a direction ever breaks it.
    let there = format!("{} ct direction original", between(&rule.from, &rule.to, family));
    let back = format!("{} ct direction reply", between(&rule.to, &rule.from, family));
    let mut line = |matching: &str, verdict: &str| {
        writeln!(text, "  {matching} counter {verdict}").expect("a String takes any text");
    };
    match rule.trouble {
        Trouble::Drop => line(&there, "drop"),
        Trouble::Reset => {
            line(&format!("{there} meta l4proto tcp"), "reject with tcp reset");
            line(&format!("{there} meta l4proto udp"), "reject with icmpx port-unreachable");
        }
        Trouble::ClientHelloDrop | Trouble::ClientHelloReset => {
            let resets = rule.trouble == Trouble::ClientHelloReset;
            let verdict = if resets { "reject with tcp reset" } else { "drop" };
            line(&format!("{there} meta l4proto tcp {IS_CLIENT_HELLO}"), &format!("ct mark set {HELLO_MARK}"));
            for way in [&there, &back] {
                line(&format!("{way} meta l4proto tcp ct mark {HELLO_MARK}"), verdict);
            }
        }
        Trouble::Freeze16k => {
            for way in [&there, &back] {
                line(&format!("{way} meta l4proto tcp ct reply bytes > {FREEZE_BYTES}"), "drop");
            }
        }
        Trouble::Udp443 => line(&format!("{there} udp dport 443"), "drop"),
        Trouble::Ipv6 if family == Family::V6 => line(&there, "drop"),
        Trouble::Ipv6 => {}
        Trouble::LossPct(percent) => {
            for way in [&there, &back] {
                line(&format!("{way} numgen random mod 100 < {percent}"), "drop");
            }
        }
    }
}

fn between(from: &[Host], to: &[Host], family: Family) -> String {
    let set = |hosts: &[Host]| {
        let addresses: Vec<String> = hosts
            .iter()
            .map(|host| match family {
                Family::V4 => host.ipv4().to_string(),
                Family::V6 => host.ipv6().to_string(),
            })
            .collect();
        addresses.join(", ")
    };
    let word = match family {
        Family::V4 => "ip",
        Family::V6 => "ip6",
    };
    format!("{word} saddr {{ {} }} {word} daddr {{ {} }}", set(from), set(to))
}
