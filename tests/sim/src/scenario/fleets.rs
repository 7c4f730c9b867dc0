//! Fleets to draw scenarios on: servers in countries, at sites, with providers, and the small losses of any network.

use std::collections::BTreeMap;
use std::time::Duration;

use quorate_core::time::Moment;

use crate::dice::Dice;
use crate::world::blueprint::{Blueprint, Door, Host, Judging, Offer};
use crate::world::noise::{Burst, Noise};

/// Countries with how many of a hundred servers stand there: a few with many, many with a few.
const COUNTRIES: &[(&str, u64)] = &[
    ("NL", 20),
    ("DE", 18),
    ("FI", 12),
    ("US", 10),
    ("FR", 8),
    ("RU", 8),
    ("PL", 6),
    ("SE", 6),
    ("GB", 4),
    ("KZ", 3),
    ("TR", 3),
    ("SG", 2),
];
/// How many hosting providers there are.
const PROVIDERS: u64 = 6;
/// Of a hundred servers so many stand on a site with the one before.
const SHARE_A_SITE: u64 = 10;
/// Servers on a route of users.
const ON_A_ROUTE: usize = 5;

/// One in a thousand knocks is lost in good times; each path is bad for some minutes every two weeks, each server
/// every week.
pub(super) const NOISE: Noise = Noise {
    paths: Burst { lost_ppm: 1_000, worsens_ppm: 50, bad_lost_ppm: 300_000, recovers_ppm: 200_000 },
    hosts: Burst { lost_ppm: 0, worsens_ppm: 100, bad_lost_ppm: 100_000, recovers_ppm: 300_000 },
};

/// How long nothing happens in a quiet world.
pub(super) const QUIET_DAYS: u64 = 30;

/// So many knocks of a million are lost in the long run: half of them one by one, a quarter in bad times of single paths, a
/// quarter in bad times of single servers. In a bad time of two rounds in the mean half of all are lost, or a third.
pub(super) const fn quiet(ppm: u32) -> Noise {
    const PATH_PPM: u32 = 500_000;
    const HOST_PPM: u32 = 333_333;
    const RECOVERS_PPM: u32 = 500_000;
    // A server's bad time hurts its own knocks and those on it: two servers have part in each knock.
    let paths_bad_ppm = (ppm as u64 / 4 * 1_000_000 / PATH_PPM as u64) as u32;
    let hosts_bad_ppm = (ppm as u64 / 8 * 1_000_000 / HOST_PPM as u64) as u32;
    let recovers = RECOVERS_PPM as u64;
    Noise {
        paths: Burst {
            lost_ppm: ppm / 2,
            worsens_ppm: (paths_bad_ppm as u64 * recovers / (1_000_000 - paths_bad_ppm as u64)) as u32,
            bad_lost_ppm: PATH_PPM,
            recovers_ppm: RECOVERS_PPM,
        },
        hosts: Burst {
            lost_ppm: 0,
            worsens_ppm: (hosts_bad_ppm as u64 * recovers / (1_000_000 - hosts_bad_ppm as u64)) as u32,
            bad_lost_ppm: HOST_PPM,
            recovers_ppm: RECOVERS_PPM,
        },
    }
}

/// What a fleet is to be like.
pub(super) struct Shape<'a> {
    pub servers: usize,
    pub doors: &'a [Door],
    pub ends: Duration,
    pub noise: Noise,
}

impl Default for Shape<'_> {
    fn default() -> Self {
        Self { servers: 40, doors: &[Door::Tls, Door::Quic], ends: minutes(40), noise: NOISE }
    }
}

/// A fleet of that shape, drawn; nothing befalls it yet.
pub(super) fn fleet(dice: &mut Dice, shape: &Shape<'_>) -> Blueprint {
    let mut hosts: Vec<Host> = Vec::with_capacity(shape.servers);
    for number in 0..shape.servers {
        let with_last = number > 0 && dice.below(100) < SHARE_A_SITE;
        let host = match hosts.last() {
            Some(last) if with_last => last.clone(),
            _ => Host {
                country: Some(country(dice)),
                site: number as u16,
                provider: dice.below(PROVIDERS) as u8,
                verifier: false,
                ipv6: true,
                doors: shape.doors.to_vec(),
                forwards_to: Vec::new(),
            },
        };
        hosts.push(host);
    }
    let all: Vec<u16> = (0..shape.servers).map(|n| n as u16).collect();
    let mut dealt = all.clone();
    dice.shuffle(&mut dealt);
    let offer = |id: String, servers: &[u16]| Offer { id, servers: servers.to_vec(), audience: Vec::new() };
    let some = dealt.chunks(ON_A_ROUTE).enumerate().map(|(nth, servers)| offer(format!("r{nth:02}"), servers));
    Blueprint {
        routes: some.chain([offer("all".to_owned(), &all)]).collect(),
        hosts,
        noise: shape.noise,
        spacing_ms: 2_000,
        ends_ms: shape.ends.as_millis() as u64,
        judging: Judging::default(),
        operations: Vec::new(),
    }
}

fn country(dice: &mut Dice) -> String {
    let mut drawn = dice.below(COUNTRIES.iter().map(|(_, weight)| weight).sum());
    for (country, weight) in COUNTRIES {
        if drawn < *weight {
            return (*country).to_owned();
        }
        drawn -= weight;
    }
    unreachable!("what is drawn is under the sum of the weights")
}

/// So many servers of one country, no two on one site; the country is drawn among those that have them.
pub(super) fn within_a_country(dice: &mut Dice, blueprint: &Blueprint, count: usize) -> Vec<u16> {
    let mut of_countries: BTreeMap<&str, BTreeMap<u16, u16>> = BTreeMap::new();
    for (number, host) in blueprint.hosts.iter().enumerate() {
        if let Some(country) = &host.country {
            of_countries.entry(country).or_default().insert(host.site, number as u16);
        }
    }
    let large: Vec<Vec<u16>> = of_countries
        .into_values()
        .map(|sites| sites.into_values().collect::<Vec<u16>>())
        .filter(|servers| servers.len() >= count)
        .collect();
    let mut servers = dice.pick(&large).clone();
    dice.shuffle(&mut servers);
    servers.truncate(count);
    servers
}

/// The servers that do not stand in a country.
pub(super) fn abroad(blueprint: &Blueprint, country: &str) -> Vec<u16> {
    let numbered = blueprint.hosts.iter().enumerate();
    numbered.filter(|(_, host)| host.country.as_deref() != Some(country)).map(|(number, _)| number as u16).collect()
}

/// When a trouble begins: somewhere in the sixth minute, when everybody has seen everybody.
pub(super) fn onset(dice: &mut Dice) -> Moment {
    Moment::ZERO.after(dice.span(minutes(5), minutes(6)))
}

pub(super) const fn minutes(minutes: u64) -> Duration {
    Duration::from_secs(60 * minutes)
}
