//! A blueprint: the fleet, the noise of its network and what will befall it. With a seed it is a world.

use quorate_core::fleet::{Country, EntryPointSpec, Fleet, Intent, RouteSpec, ServerSpec};
use quorate_core::lane::Lane;
use quorate_core::policy::Policy;
use quorate_core::probe::{Probe, ProbeKind};
use serde::{Deserialize, Serialize};

use super::noise::Noise;
use super::operation::{Group, Operation};

/// All of a world but its seed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blueprint {
    /// Who is there, by number.
    pub hosts: Vec<Host>,
    /// What is offered to users.
    pub routes: Vec<Offer>,
    /// Losses that are nobody's fault.
    pub noise: Noise,
    /// Least time between two knocks of one agent.
    pub spacing_ms: u64,
    /// When the tape ends.
    pub ends_ms: u64,
    /// When detectors are asked.
    pub judging: Judging,
    /// What befalls it, in any order.
    pub operations: Vec<Operation>,
}

/// One server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// Two letters, or none.
    pub country: Option<String>,
    /// Servers of one number fail together, and have one vote.
    pub site: u16,
    /// Whose machines and cables it stands on.
    pub provider: u8,
    /// Whether its word on a single pair is trusted (R9).
    pub verifier: bool,
    /// Whether it has an address of IPv6 to knock from.
    pub ipv6: bool,
    /// Its entry points.
    pub doors: Vec<Door>,
    /// Servers that its first door forwards to (R13); of higher numbers, so that there is no circle.
    pub forwards_to: Vec<u16>,
}

/// An entry point in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Door {
    /// TLS over TCP and IPv4.
    Tls,
    /// QUIC over IPv4.
    Quic,
    /// TLS over TCP and IPv6.
    Tls6,
    /// QUIC over IPv6.
    Quic6,
}

/// A route: all doors of some servers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// Its id.
    pub id: String,
    /// Whose doors.
    pub servers: Vec<u16>,
    /// Whose users; everybody when none.
    pub audience: Vec<String>,
}

/// How often detectors are asked: finely while something happens, so that times are measured to the second, and seldom
/// otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judging {
    /// While something happens.
    pub fine_ms: u64,
    /// For how long after a trouble has begun or ended.
    pub fine_for_ms: u64,
    /// Otherwise; at most an interval.
    pub coarse_ms: u64,
}

impl Default for Judging {
    fn default() -> Self {
        Self { fine_ms: 1_000, fine_for_ms: 360_000, coarse_ms: 20_000 }
    }
}

impl Door {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Tls, Self::Quic, Self::Tls6, Self::Quic6];

    /// Transport and family.
    pub fn lane(self) -> Lane {
        match self {
            Self::Tls => Lane::Tcp4,
            Self::Quic => Lane::Udp4,
            Self::Tls6 => Lane::Tcp6,
            Self::Quic6 => Lane::Udp6,
        }
    }

    /// How it is knocked on.
    pub fn kind(self) -> ProbeKind {
        match self {
            Self::Tls | Self::Tls6 => ProbeKind::Tls,
            Self::Quic | Self::Quic6 => ProbeKind::Quic,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Tls => "tls",
            Self::Quic => "quic",
            Self::Tls6 => "tls6",
            Self::Quic6 => "quic6",
        }
    }
}

/// How a server stands in the inventory at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// What the operator wants of it; none: it is not in it.
    pub intent: Option<Intent>,
    /// Which of its addresses it has.
    pub address: u32,
}

/// The id of a server: sorted as its number.
pub(super) fn id(server: usize) -> String {
    format!("s{server:04}")
}

/// The id of an entry point.
pub(super) fn door_id(server: usize, door: Door) -> String {
    format!("{}/{}", id(server), door.word())
}

impl Blueprint {
    /// The policy that everybody goes by.
    pub fn policy(&self) -> Policy {
        Policy::default()
    }

    /// The countries that servers stand in.
    pub fn countries(&self) -> Vec<Country> {
        let mut all: Vec<Country> = self.hosts.iter().filter_map(|host| country(host.country.as_deref()?)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Which servers a group has, by number.
    pub fn members(&self, group: &Group) -> Vec<bool> {
        let all = self.hosts.iter().enumerate();
        let is_in = |(number, host): (usize, &Host)| match group {
            Group::All => true,
            Group::Servers(servers) => servers.contains(&(number as u16)),
            Group::NotServers(servers) => !servers.contains(&(number as u16)),
            Group::Country(country) => host.country.as_ref() == Some(country),
            Group::NotCountry(country) => host.country.as_ref() != Some(country),
            Group::Provider(provider) => host.provider == *provider,
            Group::NotProvider(provider) => host.provider != *provider,
        };
        all.map(is_in).collect()
    }

    /// The inventory where servers stand like that.
    pub(super) fn fleet(&self, entries: &[Entry]) -> Fleet {
        let there = |server: usize| entries.get(server).is_some_and(|entry| entry.intent.is_some());
        let servers = self.hosts.iter().zip(entries).enumerate().filter_map(|(number, (host, entry))| {
            Some(ServerSpec {
                id: id(number),
                country: host.country.as_deref().and_then(country),
                site: Some(format!("site{:04}", host.site)),
                verifier: host.verifier,
                intent: entry.intent?,
                entry_points: host
                    .doors
                    .iter()
                    .enumerate()
                    .map(|(nth, door)| self.entry_point(number, nth, *door, entry.address, &there))
                    .collect(),
            })
        });
        let routes = self.routes.iter().map(|route| RouteSpec {
            id: route.id.clone(),
            entry_points: route
                .servers
                .iter()
                .map(|server| usize::from(*server))
                .filter(|server| there(*server))
                .flat_map(|server| self.hosts[server].doors.iter().map(move |door| door_id(server, *door)))
                .collect(),
            audience: route.audience.iter().filter_map(|word| country(word)).collect(),
        });
        Fleet::new(servers.collect(), routes.collect()).expect("ids follow from numbers, and forwarding goes up")
    }

    fn entry_point(
        &self,
        server: usize,
        nth: usize,
        door: Door,
        address: u32,
        there: &impl Fn(usize) -> bool,
    ) -> EntryPointSpec {
        // Documentation addresses, one for each server and each time it moved.
        let host = format!("2001:db8:{server:x}::{address:x}");
        let forwards_to = self.hosts[server].forwards_to.iter().map(|to| usize::from(*to));
        let upstreams = forwards_to.filter(|to| nth == 0 && *to > server && there(*to)).map(id);
        EntryPointSpec {
            id: door_id(server, door),
            lane: door.lane(),
            address: Some(format!("[{host}]:443")),
            probe: Some(Probe::new(door.kind(), host, 443)),
            upstreams: upstreams.collect(),
            weight: 1,
        }
    }
}

fn country(word: &str) -> Option<Country> {
    word.parse().ok()
}
