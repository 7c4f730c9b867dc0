//! Who plays in the demo: eight servers in five countries, each with a TLS and a QUIC entry point on an address of its own,
//! and two routes over them.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use quorate_core::policy::Policy;

use crate::inventory::{EntryPointEntry, IntentEntry, Inventory, PolicySettings, RouteEntry, ServerEntry};

/// One server of the demo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Player {
    /// Its name.
    pub id: &'static str,
    /// Its country.
    pub country: &'static str,
    /// Its failure domain: all of 127.0.77.0/24 would be one by default.
    pub site: &'static str,
    /// Whether its word on a single pair is trusted (R9).
    pub verifier: bool,
    /// The last byte of its address.
    host: u8,
}

/// All of them, by name. The verifier stands alone in its country, so nobody's word outweighs its own there, and outside
/// the two countries whose border closes, so that its verdict and the quorum's are told apart.
pub const PLAYERS: [Player; 8] = [
    player("de-1", "DE", "fra-1", 1),
    Player { verifier: true, ..player("fi-1", "FI", "hel-1", 2) },
    player("kz-1", "KZ", "ala-1", 3),
    player("kz-2", "KZ", "ast-1", 4),
    player("nl-1", "NL", "ams-1", 5),
    player("nl-2", "NL", "ams-2", 6),
    player("ru-1", "RU", "msk-1", 7),
    player("ru-2", "RU", "spb-1", 8),
];

/// The kinds of entry points that each has.
pub const DOORS: [&str; 2] = ["tls", "quic"];

/// Least time between two handshakes of one agent in real life, ms.
const MIN_SPACING_MS: u64 = 2_000;

/// Probe budgets shrink less than rounds do, by this factor: a handshake takes as long as it takes, longer on a busy
/// machine, and a dozen of them still fit into a round.
const BUDGETS_BEHIND: u32 = 2;

const fn player(id: &'static str, country: &'static str, site: &'static str, host: u8) -> Player {
    Player { id, country, site, verifier: false, host }
}

impl Player {
    /// Its address: 127/8 is every host's own, and nothing outside this machine can reach it.
    pub const fn address(self) -> IpAddr {
        IpAddr::V4(Ipv4Addr::new(127, 0, 77, self.host))
    }

    /// The name in its certificate.
    pub fn name(self) -> String {
        format!("{}.example", self.id)
    }
}

/// The player of that name. The script names only those that there are; a test holds it.
pub fn named(id: &str) -> Player {
    *PLAYERS.iter().find(|player| player.id == id).expect("the script names players of the cast: a test holds it")
}

/// The players of one country.
pub fn of_country(country: &str) -> impl Iterator<Item = Player> {
    PLAYERS.into_iter().filter(move |player| player.country == country)
}

/// The inventory as an operator would declare it, with every span divided by `speed`. `pins` come in the order of
/// [`PLAYERS`].
pub fn inventory(port: u16, pins: &[String], speed: u32) -> Inventory {
    let doors = |player: Player, pin: &String| {
        let door = |kind: &str| EntryPointEntry {
            probe: kind.to_owned(),
            port,
            sni: Some(player.name()),
            verify: Some("pin".to_owned()),
            pins: vec![pin.clone()],
            ..EntryPointEntry::default()
        };
        DOORS.into_iter().map(door).collect()
    };
    let server = |(player, pin): (Player, &String)| ServerEntry {
        id: player.id.to_owned(),
        address: player.address().to_string(),
        country: Some(player.country.to_owned()),
        site: Some(player.site.to_owned()),
        verifier: player.verifier,
        intent: IntentEntry::Active,
        entry_points: doors(player, pin),
    };
    Inventory {
        policy: policy(speed),
        servers: PLAYERS.into_iter().zip(pins).map(server).collect(),
        routes: vec![
            route("world", &PLAYERS, &[]),
            route("east", &[named("de-1"), named("fi-1"), named("nl-1"), named("nl-2")], &["KZ", "RU"]),
        ],
        edges: Vec::new(),
    }
}

/// Least time between two handshakes of one agent, sped up; in whole milliseconds, as plans carry it.
pub fn min_spacing(speed: u32) -> Duration {
    Duration::from_millis((MIN_SPACING_MS / u64::from(speed.max(1))).max(1))
}

/// The default policy, sped up.
fn policy(speed: u32) -> PolicySettings {
    let fast = Policy::default().sped_up(speed);
    let ms = |span: Duration| Some(span.as_millis() as u64);
    PolicySettings {
        interval_ms: ms(fast.interval),
        stale_after_ms: ms(fast.stale_after),
        sustain_for_ms: ms(fast.sustain_for),
        hold_for_ms: ms(fast.hold_for),
        min_spacing_ms: ms(min_spacing(speed)),
        speed: Some((speed / BUDGETS_BEHIND).max(1)),
        ..PolicySettings::default()
    }
}

fn route(id: &str, players: &[Player], audience: &[&str]) -> RouteEntry {
    let doors = |player: &Player| DOORS.map(|door| format!("{}/{door}", player.id));
    RouteEntry {
        id: id.to_owned(),
        entry_points: players.iter().flat_map(doors).collect(),
        audience: audience.iter().map(|country| (*country).to_owned()).collect(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_inventory_is_one_that_an_operator_could_have_written() {
        let inventory = inventory(8443, &PLAYERS.map(|_| "00".repeat(32)), 60);
        let fleet = inventory.fleet().unwrap();
        assert_eq!(fleet.servers().len(), PLAYERS.len());
        assert_eq!(fleet.site_count(), PLAYERS.len(), "one site is one vote");
        assert!(fleet.routes().iter().all(|route| route.entry_points.len() >= 4));
        assert_eq!(inventory.policy().unwrap(), Policy::default().sped_up(60));
    }

    #[test]
    fn every_player_has_a_loopback_address_of_its_own() {
        let addresses: BTreeSet<IpAddr> = PLAYERS.iter().map(|player| player.address()).collect();
        assert_eq!(addresses.len(), PLAYERS.len());
        assert!(addresses.iter().all(IpAddr::is_loopback));
    }
}
