//! S1 · Servers that crash.

use super::Scenario;
use super::fleets::{self, Shape, minutes};
use crate::dice::Dice;
use crate::world::blueprint::Blueprint;
use crate::world::operation::{Operation, Trouble};

pub(super) const ONE_OF_A_HUNDRED: Scenario = Scenario {
    id: "S1a",
    name: "crash of 1 %",
    about: "Of a hundred servers one loses its power for 20 minutes.",
    truth: "It is dead: nobody reaches it, and its agent says nothing. All others are well.",
    draw: |dice| crash(dice, 1),
};

pub(super) const ONE_OF_TEN: Scenario = Scenario {
    id: "S1b",
    name: "crash of 10 %",
    about: "Of a hundred servers ten lose their power within the same minute, for 20 minutes.",
    truth: "They are dead. All others are well, though every witness misses many of its targets at once.",
    draw: |dice| crash(dice, 10),
};

fn crash(dice: &mut Dice, count: usize) -> Blueprint {
    let mut blueprint = fleets::fleet(dice, &Shape { servers: 100, ..Shape::default() });
    for server in dice.some(count, 100) {
        let at = fleets::onset(dice);
        blueprint.operations.push(Operation::new(at, minutes(20), Trouble::HostDead(server)));
    }
    blueprint
}
