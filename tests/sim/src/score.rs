//! The scoreboard: one tape is played once to all detectors, and what each held is put beside what was really so.
//!
//! [`play`] turns the tape, [`history`] writes down when each detector held what, [`case`] is the truth put so that it can be
//! held against that, [`tally`] counts, [`row`] makes figures with intervals of the counts of many runs, [`goal`] judges them.
//!
//! Nothing is counted while the tape runs, since the truth is whole only at its end; and nothing is sampled: what was held from
//! one judgement to the next counts for the time between.

pub mod case;
pub mod goal;
pub mod history;
pub mod play;
pub mod row;
pub mod span;
pub mod tally;

#[cfg(test)]
mod tests;
