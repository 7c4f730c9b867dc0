//! Files of a recorded mesh: a fleet with its policy, and line by line what happened. `docs/replay.md` says what they look like.
//!
//! Text goes in and core's types come out; nothing is folded here. A fleet that cannot be is refused whole, a line with what is
//! wrong in it; where a line stands in its file is said by [`file`].

pub mod file;
mod fleet;
mod line;
mod object;

pub use self::fleet::{Declared, parse as parse_fleet};
pub use self::line::{Line, parse as parse_line};
