//! The wall clock of a simulation: a thread's aggregator reads what its simulation says.

use std::cell::RefCell;

use quorate_core::time::Moment;

type Wall = Box<dyn Fn() -> Moment>;

thread_local! {
    static WALL: RefCell<Option<Wall>> = const { RefCell::new(None) };
}

/// From here on the wall clock of this thread's aggregator is what `wall` says.
pub fn set_wall(wall: impl Fn() -> Moment + 'static) {
    WALL.replace(Some(Box::new(wall)));
}

/// What it says, in a simulation.
pub(crate) fn wall() -> Option<Moment> {
    WALL.with_borrow(|wall| wall.as_ref().map(|wall| wall()))
}
