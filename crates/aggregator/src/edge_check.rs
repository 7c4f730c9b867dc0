//! `edge check`: whether only edges reach the gateway, as seen from a third host, and whether anything public names it.
//!
//! Like a neighbour who is asked to find the back door: he tries the front doors, to be sure that he stands in the right
//! street and can knock at all; then the back door, which must not open; then he reads what is written on the house. That
//! the back door stayed shut means something only because a front door opened.
//!
//! [`look`] goes and sees, [`conclude()`] says what it means, from that alone. What one neighbour cannot know is said too
//! ([`UNPROVEN`]).

mod certificate;
mod conclude;
mod look;
mod mention;

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests;

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};

use quorate_core::edge_watch::Knock;

pub use self::conclude::{Finding, Weight, conclude};
pub use self::look::{LookError, Looker};
pub use self::mention::mentions;

/// What no look from one host can show.
pub const UNPROVEN: &str = "This is what one machine saw once, over TCP, at the ports named here. It does not show what other \
networks see (a firewall may let in whole ranges), other ports or UDP, nor what old DNS records, certificate logs or mail \
headers have told already. Run it from another network too, and after each change of the firewall.";

/// What was seen.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// What agents dial.
    pub gateway: String,
    /// The addresses of that name, and what a knock on each found.
    pub edges: Vec<EdgeSeen>,
    /// The gateway's own addresses, and what a knock on each found.
    pub origins: Vec<OriginSeen>,
    /// The hash of the authority's key that was expected; none if nobody said which.
    pub expected_authority: Option<[u8; 32]>,
    /// Names that the public knows, and where they lead.
    pub names: Vec<NameSeen>,
    /// What was read.
    pub texts: Vec<TextSeen>,
    /// What could not be looked at, in sentences.
    pub unseen: Vec<String>,
}

/// An address of the gateway's name.
#[derive(Debug, Clone)]
pub struct EdgeSeen {
    /// Where.
    pub at: SocketAddr,
    /// What a knock found.
    pub knock: Knock,
    /// SHA-256 of the key of the authority that vouches for who answered.
    pub authority: Option<[u8; 32]>,
}

/// An address of the gateway itself.
#[derive(Debug, Clone)]
pub struct OriginSeen {
    /// Where.
    pub at: SocketAddr,
    /// What a knock found.
    pub knock: Knock,
}

/// A name that the public knows.
#[derive(Debug, Clone)]
pub struct NameSeen {
    /// The name.
    pub name: String,
    /// How the public knows it, like "is the gateway's name".
    pub known_as: String,
    /// Where it leads.
    pub addresses: BTreeSet<IpAddr>,
}

/// Something that the public reads.
#[derive(Debug, Clone)]
pub struct TextSeen {
    /// What it is: an address of the web, or a path of the API.
    pub of: String,
    /// What it says.
    pub text: String,
}
