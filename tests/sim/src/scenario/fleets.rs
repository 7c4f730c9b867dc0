//! Fleets to draw scenarios on: servers in countries, at sites, with providers, and the small losses of any network.

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

/// When a trouble begins: somewhere in the sixth minute, when everybody has seen everybody.
pub(super) fn onset(dice: &mut Dice) -> Moment {
    Moment::ZERO.after(dice.span(minutes(5), minutes(6)))
}

pub(super) const fn minutes(minutes: u64) -> Duration {
    Duration::from_secs(60 * minutes)
}
