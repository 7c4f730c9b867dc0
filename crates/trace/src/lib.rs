//! Files of a recorded mesh: a fleet with its policy, and line by line what happened. `docs/replay.md` says what they look like.
//!
//! Text goes in and core's types come out; nothing is folded here. A fleet that cannot be is refused whole, a line with what is
//! wrong in it; where a line stands in its file is said by [`file`].

pub mod file;
mod fleet;
mod line;
mod object;

use quorate_core::fleet::Fleet;
use quorate_core::one_line::OneLine;
use quorate_core::time::Moment;

pub use self::fleet::Declared;
pub use self::line::Line;

/// The fleet, and the policy if it has one, of a fleet file's text.
pub fn parse_fleet(json: &str) -> anyhow::Result<Declared> {
    fleet::parse(json).map_err(|error| told(&error))
}

/// One line of a trace over this fleet: when, and what.
pub fn parse_line(text: &str, fleet: &Fleet) -> anyhow::Result<(Moment, Line)> {
    line::parse(text, fleet).map_err(|error| told(&error))
}

/// A refusal repeats words of a file, which must not break its line.
fn told(error: &anyhow::Error) -> anyhow::Error {
    anyhow::anyhow!("{}", OneLine(format_args!("{error:#}")))
}
