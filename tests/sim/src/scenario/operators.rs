//! S10, S14, S16, S17, S19 · What operators do, what befalls the aggregator, what befalls everybody, and nothing at all.

use std::time::Duration;

use super::Scenario;
use super::fleets::{QUIET_DAYS, Shape, fleet, minutes, onset, quiet};
use crate::dice::Dice;
use crate::world::blueprint::{Blueprint, Door, Judging};
use crate::world::operation::{Group, Operation, Trouble};

const SERVERS: usize = 40;

pub(super) const ROLLING: Scenario = Scenario {
    id: "S10",
    name: "rolling restart",
    about: "All 40 servers are restarted one after another, one every 45 s: the service is away for 20 to 40 s, the agent \
            for 5 to 15 s within it.",
    truth: "While a server restarts, nobody is asked to notice: these seconds are left out. At all other times all are \
            well.",
    draw: |dice| {
        let mut blueprint = fleet(dice, &Shape { ends: minutes(45), ..Shape::default() });
        let mut order = dice.some(SERVERS, SERVERS);
        dice.shuffle(&mut order);
        let mut at = onset(dice);
        for server in order {
            let away = dice.span(Duration::from_secs(20), Duration::from_secs(40));
            blueprint.operations.push(Operation::new(at, away, Trouble::ServiceRestarts(server)));
            let agent = Trouble::AgentAway { server, wiped: false };
            let away = dice.span(Duration::from_secs(5), Duration::from_secs(15));
            blueprint.operations.push(Operation::new(at.after(Duration::from_secs(2)), away, agent));
            at = at.after(Duration::from_secs(45));
        }
        blueprint
    },
};

pub(super) const AGGREGATOR: [Scenario; 2] = [
    Scenario {
        id: "S14a",
        name: "aggregator restart",
        about: "The aggregator is away for one to eight minutes; what 40 servers reported meanwhile comes in a burst.",
        truth: "All are well.",
        draw: |dice| {
            let mut blueprint = fleet(dice, &Shape::default());
            let away = dice.span(minutes(1), minutes(8));
            blueprint.operations.push(Operation::new(onset(dice), away, Trouble::AggregatorAway));
            blueprint
        },
    },
    Scenario {
        id: "S14b",
        name: "aggregator restart in a crash",
        about: "As S14a, and two servers crash: one of them some minutes before, one while the aggregator is away.",
        truth: "The two are dead, for 20 minutes. All others are well.",
        draw: |dice| {
            let mut blueprint = fleet(dice, &Shape::default());
            let two = dice.some(2, SERVERS);
            let first = onset(dice);
            let away_at = first.after(dice.span(minutes(3), minutes(5)));
            let (away, second) = (dice.span(minutes(2), minutes(8)), away_at.after(minutes(1)));
            blueprint.operations.extend([
                Operation::new(first, minutes(20), Trouble::HostDead(two[0])),
                Operation::new(away_at, away, Trouble::AggregatorAway),
                Operation::new(second, minutes(20), Trouble::HostDead(two[1])),
            ]);
            blueprint
        },
    },
];

pub(super) const SCALE_DOWN: Scenario = Scenario {
    id: "S16",
    name: "60 % scale-down with ghosts",
    about: "24 of 40 servers are switched off for good within a minute; the inventory goes on naming them for ten minutes \
            more.",
    truth: "The ghosts are dead for as long as the inventory names them. The 16 that are left are well.",
    draw: |dice| {
        let mut blueprint = fleet(dice, &Shape::default());
        let for_ever = minutes(24 * 60);
        let gone = dice.some(24, SERVERS);
        let cleared = onset(dice).after(minutes(11));
        for server in gone {
            blueprint.operations.push(Operation::new(onset(dice), for_ever, Trouble::HostDead(server)));
            blueprint.operations.push(Operation::new(cleared, for_ever, Trouble::Disabled(server)));
        }
        blueprint
    },
};

pub(super) const EVERYBODY: [Scenario; 3] = [
    Scenario {
        id: "S17a",
        name: "all down",
        about: "A bad configuration stops the service on all 40 servers within a minute; their agents say so. 20 minutes \
                later it is taken back.",
        truth: "All are dead. There is nothing better to deliver, and still no route may be empty.",
        draw: |dice| everybody(dice, Trouble::ServiceStopped),
    },
    Scenario {
        id: "S17b",
        name: "all dead",
        about: "All 40 servers lose their power within a minute, for 20 minutes: nobody is left to tell.",
        truth: "All are dead; nobody can know it. No route may be empty.",
        draw: |dice| everybody(dice, Trouble::HostDead),
    },
    Scenario {
        id: "S17c",
        name: "all silent",
        about: "No report gets through for 20 minutes, as all edges are gone; then all come in a burst.",
        truth: "All are well.",
        draw: |dice| {
            let mut blueprint = fleet(dice, &Shape::default());
            let silence = Trouble::UplinkDead(Group::All);
            blueprint.operations.push(Operation::new(onset(dice), minutes(20), silence));
            blueprint
        },
    },
];

pub(super) const QUIET: [Scenario; 4] = [
    background("S19a", "0.1 % loss, 30 days", |dice| lossy(dice, 1_000)),
    background("S19b", "0.5 % loss, 30 days", |dice| lossy(dice, 5_000)),
    background("S19c", "1 % loss, 30 days", |dice| lossy(dice, 10_000)),
    background("S19d", "2 % loss, 30 days", |dice| lossy(dice, 20_000)),
];

/// What shows how fast a world is; no part of the scoreboard.
pub(super) const MONTH: Scenario = Scenario {
    id: "S0",
    name: "a quiet month of 50",
    about: "Nothing befalls 50 servers that all knock on each other for 30 days, but the small losses of any network.",
    truth: "All are well throughout.",
    draw: |dice| {
        let ends = minutes(QUIET_DAYS * 24 * 60);
        let mut blueprint = fleet(dice, &Shape { servers: 50, doors: &[Door::Tls], ends, ..Shape::default() });
        blueprint.spacing_ms = 1_000;
        blueprint.judging = ONCE_A_ROUND;
        blueprint
    },
};

const ONCE_A_ROUND: Judging = Judging { fine_ms: 60_000, fine_for_ms: 0, coarse_ms: 60_000 };

const fn background(id: &'static str, name: &'static str, draw: fn(&mut Dice) -> Blueprint) -> Scenario {
    Scenario {
        id,
        name,
        about: "Nothing befalls any of 20 servers for 30 days, but that so much of all knocks is lost: half of it one by \
                one, half in bad times of single paths and of single servers.",
        truth: "All are well throughout.",
        draw,
    }
}

fn everybody(dice: &mut Dice, trouble: fn(u16) -> Trouble) -> Blueprint {
    let mut blueprint = fleet(dice, &Shape::default());
    for server in 0..SERVERS as u16 {
        blueprint.operations.push(Operation::new(onset(dice), minutes(20), trouble(server)));
    }
    blueprint
}

fn lossy(dice: &mut Dice, ppm: u32) -> Blueprint {
    let ends = minutes(QUIET_DAYS * 24 * 60);
    let mut blueprint = fleet(dice, &Shape { servers: 20, doors: &[Door::Tls], ends, noise: quiet(ppm) });
    blueprint.judging = ONCE_A_ROUND;
    blueprint
}
