//! A tape: what reaches the aggregator of one simulated fleet, in the order in which it comes.
//!
//! It is played once for any number of detectors side by side, step by step, and never kept: thirty days of a fleet are a
//! hundred million outcomes.

use std::sync::Arc;
use std::time::Duration;

use quorate_core::fleet::Fleet;
use quorate_core::policy::Policy;
use quorate_core::report::Report;
use quorate_core::time::Moment;

use crate::truth::Truth;

/// What is known before the first step.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The fleet at the beginning.
    pub fleet: Arc<Fleet>,
    /// Quorate's policy, and what a round is for everybody.
    pub policy: Policy,
    /// From one round of a witness to its next.
    pub interval: Duration,
    /// When the tape ends.
    pub ends_at: Moment,
}

/// One thing that happens at the aggregator.
#[derive(Debug, Clone)]
pub enum Step {
    /// A report comes in. What was lost on the way never shows; what was doubled shows twice.
    Report(Report),
    /// The inventory is replaced. On the tapes of scenarios every inventory has the servers and entry points of the
    /// setting's, in the same order: who left is disabled, who is to come was. So an index means the same from beginning to
    /// end.
    Fleet(Arc<Fleet>),
    /// The aggregator was away, with all that it had stored, and listens again. Nothing came while it was, and nobody was
    /// asked: what was held is held on. What agents kept comes after this.
    Resumed,
    /// Detectors say what they hold. Comes at least once an interval while the aggregator is there, and every second while
    /// something happens.
    Judge,
}

/// When it happens. Times never go back.
#[derive(Debug, Clone)]
pub struct Timed {
    /// By the aggregator's clock, which is right.
    pub at: Moment,
    /// What.
    pub step: Step,
}

/// A tape that can be played once.
pub trait Tape: Iterator<Item = Timed> {
    /// What is known before the first step.
    fn setting(&self) -> &Setting;
    /// What was really the case; whole once the tape was played to its end.
    fn truth(&self) -> &Truth;
}
