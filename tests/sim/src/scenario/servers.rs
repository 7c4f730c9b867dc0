//! S1, S4, S5, S6, S18, S20 · Servers that die, or nearly so: the machine, its way in, its certificate.

use std::time::Duration;

use super::Scenario;
use super::fleets::{Shape, fleet, minutes, onset};
use crate::dice::Dice;
use crate::world::blueprint::Blueprint;
use crate::world::operation::{Operation, Over, Trouble};

/// How long they are in trouble.
const LASTS: Duration = minutes(20);

pub(super) const CRASHES: [Scenario; 2] = [
    Scenario {
        id: "S1a",
        name: "crash, 1 %",
        about: "One of a hundred servers loses its power for 20 minutes.",
        truth: "It is dead: nobody reaches it, and its agent says nothing. All others are well.",
        draw: |dice| hit(dice, 100, 1, |server, _| Trouble::HostDead(server)),
    },
    Scenario {
        id: "S1b",
        name: "crash, 10 %",
        about: "Ten of a hundred servers lose their power within the same minute, for 20 minutes.",
        truth: "They are dead. All others are well, though every witness misses many of its targets at once.",
        draw: |dice| hit(dice, 100, 10, |server, _| Trouble::HostDead(server)),
    },
];

pub(super) const INGRESS_DEAD: Scenario = Scenario {
    id: "S4",
    name: "ingress dead while reporting",
    about: "Nothing gets in to one of 40 servers for 20 minutes, while its agent reaches its peers and reports that all is \
            well.",
    truth: "It is dead, whatever it says of itself: nobody reaches it. All others are well.",
    draw: |dice| hit(dice, 40, 1, |server, _| Trouble::IngressDead(server, Over::All)),
};

pub(super) const LOSSY: Scenario = Scenario {
    id: "S5",
    name: "80 % loss",
    about: "Of the knocks on one of 40 servers, and of its own, 80 % are lost for 20 minutes.",
    truth: "It counts as dead: four of five attempts to reach it fail. All others are well, though it says that it cannot \
            see most of them.",
    draw: |dice| hit(dice, 40, 1, |server, _| Trouble::Lossy(server, 800_000)),
};

pub(super) const FLIP_FLOP: Scenario = Scenario {
    id: "S6",
    name: "20 s flip-flop",
    about: "Nothing gets in to one of 40 servers for 20 s, all does for 20 s, and so on for 20 minutes.",
    truth: "Whether that is alive is its operator's to say: it is left out. All others are well.",
    draw: |dice| hit(dice, 40, 1, |server, _| Trouble::Flaps { server, up_ms: 20_000, down_ms: 20_000 }),
};

pub(super) const CERTIFICATE: Scenario = Scenario {
    id: "S18",
    name: "certificate expiry",
    about: "The certificates of two of 40 servers expire and are renewed after 20 minutes; their agents find all well.",
    truth: "They are dead: clients refuse to connect. All others are well.",
    draw: |dice| hit(dice, 40, 2, |server, _| Trouble::CertificateExpired(server)),
};

pub(super) const FLAPPING: Scenario = Scenario {
    id: "S20",
    name: "50 % duty flap",
    about: "One of 40 servers is up for a span and down for as long, and so on for 20 minutes; the span is drawn between \
            one and five minutes.",
    truth: "Whether that is alive is its operator's to say: it is left out, and how often the verdict flips is what \
            counts. All others are well.",
    draw: |dice| {
        hit(dice, 40, 1, |server, dice| {
            let span = dice.between(60_000, 300_000);
            Trouble::Flaps { server, up_ms: span, down_ms: span }
        })
    },
};

/// `count` of `servers` in trouble, each from a moment of its own.
fn hit(dice: &mut Dice, servers: usize, count: usize, trouble: impl Fn(u16, &mut Dice) -> Trouble) -> Blueprint {
    let mut blueprint = fleet(dice, &Shape { servers, ..Shape::default() });
    for server in dice.some(count, servers) {
        let at = onset(dice);
        let trouble = trouble(server, dice);
        blueprint.operations.push(Operation::new(at, LASTS, trouble));
    }
    blueprint
}
