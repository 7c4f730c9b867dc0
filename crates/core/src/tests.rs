//! What takes more than one module to show: all rules on timelines, on a whole small world, and on random histories.

mod invariants;
mod small_world;
pub(crate) mod timeline;
