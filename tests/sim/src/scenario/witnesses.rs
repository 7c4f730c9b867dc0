//! S3, S9, S13, S15 · Witnesses that see nothing, say nothing, lie, or have the wrong time; all servers are well.

use std::time::Duration;

use super::Scenario;
use super::fleets::{Shape, fleet, minutes, onset, within_a_country};
use crate::dice::Dice;
use crate::world::blueprint::{Blueprint, Door};
use crate::world::operation::{Group, Manner, Operation, Over, Trouble, Word};

/// How long they are in trouble.
const LASTS: Duration = minutes(20);
const SERVERS: usize = 40;
/// So many with one entry point each all knock on each other: every liar is asked.
const IN_A_MESH: usize = 30;

pub(super) const BLIND: [Scenario; 2] = [
    Scenario {
        id: "S3a",
        name: "witness egress dead",
        about: "The provider of two of 40 servers drops whatever they open towards port 443 for 20 minutes; their reports \
                still come.",
        truth: "All are well: connections to the two are answered, and those whom they cannot see are not touched.",
        draw: |dice| blind(dice, |server, _| Trouble::EgressDead(server, Over::All)),
    },
    Scenario {
        id: "S3b",
        name: "witness half-blind",
        about: "Two of 40 servers cannot open connections to a drawn third to half of their peers for 20 minutes.",
        truth: "All are well: it is the two that see too little.",
        draw: |dice| {
            blind(dice, |server, dice| {
                let unseen = dice.between(SERVERS as u64 / 3, SERVERS as u64 / 2) as usize;
                Trouble::Wall {
                    from: Group::Servers(vec![server]),
                    to: Group::Servers(dice.some(unseen, SERVERS)),
                    over: Over::All,
                    manner: Manner::Drop,
                }
            })
        },
    },
];

pub(super) const STOPPED: Scenario = Scenario {
    id: "S9",
    name: "stopped witness",
    about: "The agents of four of 40 servers are stopped (SIGSTOP) and go on after five to ten minutes.",
    truth: "All are well: the servers serve, and what their agents were about to see they did not.",
    draw: |dice| {
        let mut blueprint = fleet(dice, &Shape::default());
        for server in dice.some(4, SERVERS) {
            let (at, lasts) = (onset(dice), dice.span(minutes(5), minutes(10)));
            blueprint.operations.push(Operation::new(at, lasts, Trouble::AgentStopped(server)));
        }
        blueprint
    },
};

pub(super) const LIARS: [Scenario; 6] = [
    liars("S13a", "1 lying witness", |dice| lying(dice, 1)),
    liars("S13b", "2 lying witnesses", |dice| lying(dice, 2)),
    liars("S13c", "3 lying witnesses", |dice| lying(dice, 3)),
    liars("S13d", "5 lying witnesses", |dice| lying(dice, 5)),
    liars("S13e", "8 lying witnesses", |dice| lying(dice, 8)),
    Scenario {
        id: "S13f",
        name: "2 liars of one country",
        about: "As S13b, but both liars stand in one country, on sites of their own, where they may be most of those asked.",
        truth: "All are well: what the liars say is made up.",
        draw: |dice| {
            let mut blueprint = mesh(dice);
            let liars = within_a_country(dice, &blueprint, 2);
            deny(dice, &mut blueprint, &liars);
            blueprint
        },
    },
];

const fn liars(id: &'static str, name: &'static str, draw: fn(&mut Dice) -> Blueprint) -> Scenario {
    Scenario {
        id,
        name,
        about: "In a full mesh of 30 they say for 20 minutes that they cannot reach three servers on whom they agreed, and \
                the truth of all others, so that each of them looks sound.",
        truth: "All are well: what the liars say is made up.",
        draw,
    }
}

pub(super) const CLOCKS: Scenario = Scenario {
    id: "S15",
    name: "clock ±1 h",
    about: "The wall clocks of 13 of 40 servers jump by an hour, forth or back; in the meantime the certificate of one \
            server expires, of which they cannot judge, and another one crashes.",
    truth: "The crashed one and the one with the expired certificate are dead. All others are well, whatever time they \
            have.",
    draw: |dice| {
        let mut blueprint = fleet(dice, &Shape::default());
        let mut hit = dice.some(15, SERVERS);
        dice.shuffle(&mut hit);
        let (victims, skewed) = hit.split_at(2);
        for server in skewed {
            let hour = if dice.below(2) == 0 { 3_600 } else { -3_600 };
            let at = onset(dice).before(minutes(1));
            blueprint.operations.push(Operation::new(at, minutes(25), Trouble::ClockOff(*server, hour)));
        }
        blueprint.operations.push(Operation::new(onset(dice), LASTS, Trouble::HostDead(victims[0])));
        blueprint.operations.push(Operation::new(onset(dice), LASTS, Trouble::CertificateExpired(victims[1])));
        blueprint
    },
};

fn blind(dice: &mut Dice, trouble: impl Fn(u16, &mut Dice) -> Trouble) -> Blueprint {
    let mut blueprint = fleet(dice, &Shape::default());
    for server in dice.some(2, SERVERS) {
        let at = onset(dice);
        let trouble = trouble(server, dice);
        blueprint.operations.push(Operation::new(at, LASTS, trouble));
    }
    blueprint
}

fn lying(dice: &mut Dice, count: usize) -> Blueprint {
    let mut blueprint = mesh(dice);
    let liars = dice.some(count, IN_A_MESH);
    deny(dice, &mut blueprint, &liars);
    blueprint
}

fn mesh(dice: &mut Dice) -> Blueprint {
    fleet(dice, &Shape { servers: IN_A_MESH, doors: &[Door::Tls], ..Shape::default() })
}

/// They agree on three others.
fn deny(dice: &mut Dice, blueprint: &mut Blueprint, liars: &[u16]) {
    let mut victims = dice.some(IN_A_MESH, IN_A_MESH);
    victims.retain(|server| !liars.contains(server));
    dice.shuffle(&mut victims);
    victims.truncate(3);
    for server in liars {
        let lie = Trouble::Lies { server: *server, about: Group::Servers(victims.clone()), word: Word::Denies };
        blueprint.operations.push(Operation::new(onset(dice), LASTS, lie));
    }
}
