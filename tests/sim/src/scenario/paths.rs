//! S2, S7, S8, S11, S12, S21 · Paths that break: between two, around a provider, through the fleet, by lane, at a border.

use std::time::Duration;

use super::Scenario;
use super::fleets::{Shape, abroad, fleet, minutes, onset};
use crate::dice::Dice;
use crate::world::blueprint::{Blueprint, Door, Offer};
use crate::world::operation::{Group, Manner, Operation, Over, Trouble};

/// How long they are broken.
const LASTS: Duration = minutes(20);
const SERVERS: usize = 40;

pub(super) const PAIRS: [Scenario; 2] = [
    Scenario {
        id: "S2a",
        name: "one directed pair",
        about: "One of 40 servers cannot open connections to another one for 20 minutes.",
        truth: "All are well: nobody else has trouble with either.",
        draw: |dice| pair(dice, false),
    },
    Scenario {
        id: "S2b",
        name: "one pair, both directions",
        about: "Two of 40 servers cannot open connections to each other for 20 minutes.",
        truth: "All are well: nobody else has trouble with either.",
        draw: |dice| pair(dice, true),
    },
];

pub(super) const PROVIDER: [Scenario; 2] = [
    Scenario {
        id: "S7a",
        name: "provider cut",
        about: "One of six providers loses its uplinks for 20 minutes: its servers see each other and nobody else, and their \
                reports come in a burst when it is over.",
        truth: "Its servers are dead: nobody outside reaches them. All others are well.",
        draw: |dice| provider_cut(dice, true),
    },
    Scenario {
        id: "S7b",
        name: "provider cut, still reporting",
        about: "As S7a, but the reports of its servers come at once, by an edge inside.",
        truth: "Its servers are dead: nobody outside reaches them, and what they say of the others is wrong.",
        draw: |dice| provider_cut(dice, false),
    },
];

pub(super) const ISLANDS: [Scenario; 2] = [
    Scenario {
        id: "S8a",
        name: "islands 50/50",
        about: "The path between two halves of 40 servers breaks for 20 minutes, both ways; all reports come.",
        truth: "All are well: users on either side reach the servers of their side, and no side is the wrong one.",
        draw: |dice| islands(dice, 20),
    },
    Scenario {
        id: "S8b",
        name: "islands 60/40",
        about: "As S8a, with 24 servers on one side and 16 on the other.",
        truth: "All are well: that more servers stand on one side makes it no better.",
        draw: |dice| islands(dice, 24),
    },
];

pub(super) const LANES: [Scenario; 3] = [
    Scenario {
        id: "S11a",
        name: "UDP-only block",
        about: "The networks before four of 40 servers drop UDP for 20 minutes.",
        truth: "Their QUIC entry points are dead, those over TCP are well. All others are well.",
        draw: |dice| lane_block(dice, Over::Udp, Manner::Drop),
    },
    Scenario {
        id: "S11b",
        name: "TCP-only block",
        about: "The networks before four of 40 servers swallow every ClientHello over TCP for 20 minutes.",
        truth: "Their entry points over TCP are dead, those over QUIC are well. All others are well.",
        draw: |dice| lane_block(dice, Over::Tcp, Manner::Swallow),
    },
    Scenario {
        id: "S11c",
        name: "witnesses without UDP",
        about: "The networks before four of 40 servers drop what they send by UDP for 20 minutes; they are reached by it.",
        truth: "All are well: the four have no say about QUIC.",
        draw: |dice| {
            let mut blueprint = fleet(dice, &Shape::default());
            for server in dice.some(4, SERVERS) {
                let dead = Trouble::EgressDead(server, Over::Udp);
                blueprint.operations.push(Operation::new(onset(dice), LASTS, dead));
            }
            blueprint
        },
    },
];

pub(super) const IPV6: [Scenario; 2] = [
    Scenario {
        id: "S12a",
        name: "IPv6-only trouble",
        about: "Half of 40 servers have no IPv6 to knock from. Of the others' IPv6 entry points, two are not reached for 20 \
                minutes.",
        truth: "These two entry points are dead, all others are well, those of the same servers over IPv4 too.",
        draw: |dice| ipv6(dice, |server| Trouble::IngressDead(server, Over::V6)),
    },
    Scenario {
        id: "S12b",
        name: "witnesses with broken IPv6",
        about: "Half of 40 servers have no IPv6. Two of the others get nowhere by IPv6 for 20 minutes, and are reached by it.",
        truth: "All are well.",
        draw: |dice| ipv6(dice, |server| Trouble::EgressDead(server, Over::V6)),
    },
];

pub(super) const BORDERS: [Scenario; 2] = [
    Scenario {
        id: "S21a",
        name: "country blocks a part",
        about: "A country with five of 40 servers drops all that goes to a fifth of those abroad, for 20 minutes.",
        truth: "Those are dead for the users of that country, and well for all others.",
        draw: |dice| border(dice, 20),
    },
    Scenario {
        id: "S21b",
        name: "country blocks most",
        about: "As S21a, with four of five of those abroad.",
        truth: "Those are dead for the users of that country, and well for all others.",
        draw: |dice| border(dice, 80),
    },
];

fn wall(from: Group, to: Group) -> Trouble {
    Trouble::Wall { from, to, over: Over::All, manner: Manner::Drop }
}

fn pair(dice: &mut Dice, both: bool) -> Blueprint {
    let mut blueprint = fleet(dice, &Shape::default());
    let at = onset(dice);
    let mut two = dice.some(2, SERVERS);
    dice.shuffle(&mut two);
    let one = |at: usize| Group::Servers(vec![two[at]]);
    blueprint.operations.push(Operation::new(at, LASTS, wall(one(0), one(1))));
    if both {
        blueprint.operations.push(Operation::new(at, LASTS, wall(one(1), one(0))));
    }
    blueprint
}

fn provider_cut(dice: &mut Dice, silent: bool) -> Blueprint {
    let mut blueprint = fleet(dice, &Shape::default());
    let at = onset(dice);
    let provider = blueprint.hosts[dice.below(SERVERS as u64) as usize].provider;
    let mut troubles = vec![
        wall(Group::NotProvider(provider), Group::Provider(provider)),
        wall(Group::Provider(provider), Group::NotProvider(provider)),
    ];
    if silent {
        troubles.push(Trouble::UplinkDead(Group::Provider(provider)));
    }
    blueprint.operations.extend(troubles.into_iter().map(|trouble| Operation::new(at, LASTS, trouble)));
    blueprint
}

fn islands(dice: &mut Dice, larger: usize) -> Blueprint {
    let mut blueprint = fleet(dice, &Shape::default());
    let at = onset(dice);
    let here = dice.some(larger, SERVERS);
    let there: Vec<u16> = (0..SERVERS as u16).filter(|server| !here.contains(server)).collect();
    let sides = [(here.clone(), there.clone()), (there, here)];
    let walls = sides.map(|(from, to)| wall(Group::Servers(from), Group::Servers(to)));
    blueprint.operations.extend(walls.into_iter().map(|wall| Operation::new(at, LASTS, wall)));
    blueprint
}

fn lane_block(dice: &mut Dice, over: Over, manner: Manner) -> Blueprint {
    let mut blueprint = fleet(dice, &Shape::default());
    for server in dice.some(4, SERVERS) {
        let block = Trouble::Wall { from: Group::All, to: Group::Servers(vec![server]), over, manner };
        blueprint.operations.push(Operation::new(onset(dice), LASTS, block));
    }
    blueprint
}

fn ipv6(dice: &mut Dice, trouble: impl Fn(u16) -> Trouble) -> Blueprint {
    let mut blueprint = fleet(dice, &Shape { doors: &[Door::Tls, Door::Tls6], ..Shape::default() });
    let without = dice.some(SERVERS / 2, SERVERS);
    for server in &without {
        let host = &mut blueprint.hosts[usize::from(*server)];
        host.ipv6 = false;
        host.doors = vec![Door::Tls];
    }
    let mut with: Vec<u16> = (0..SERVERS as u16).filter(|server| !without.contains(server)).collect();
    dice.shuffle(&mut with);
    for server in &with[..2] {
        blueprint.operations.push(Operation::new(onset(dice), LASTS, trouble(*server)));
    }
    blueprint
}

/// A country with five servers, each on a site of its own, and a route for its users.
fn border(dice: &mut Dice, percent: usize) -> Blueprint {
    let mut blueprint = fleet(dice, &Shape::default());
    let country = "IR".to_owned();
    for server in dice.some(5, SERVERS) {
        let host = &mut blueprint.hosts[usize::from(server)];
        (host.country, host.site) = (Some(country.clone()), 1_000 + server);
    }
    let all = (0..SERVERS as u16).collect();
    blueprint.routes.push(Offer { id: "home".to_owned(), servers: all, audience: vec![country.clone()] });
    let mut blocked = abroad(&blueprint, &country);
    dice.shuffle(&mut blocked);
    blocked.truncate(blocked.len() * percent / 100);
    blocked.sort_unstable();
    let block = wall(Group::Country(country), Group::Servers(blocked));
    blueprint.operations.push(Operation::new(onset(dice), LASTS, block));
    blueprint
}
