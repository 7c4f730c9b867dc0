//! Plays one tape to many detectors, and scores them.

use std::sync::Arc;
use std::time::Duration;

use quorate_core::time::Moment;

use super::case::{Attendance, Case};
use super::history::{Recorder, Roster};
use super::span::Span;
use super::tally::Tally;
use crate::clock::CpuClock;
use crate::detector::Detector;
use crate::tape::{Setting, Step, Tape, Timed};

/// Steps that one detector takes before the next one does: few enough to lie in the processor's cache, enough that reading the
/// clock between detectors costs nothing.
const BLOCK: usize = 64;

/// What playing a tape gave.
#[derive(Debug)]
pub struct Played {
    /// One for each detector, in their order.
    pub scores: Vec<Scored>,
    /// Processor time that the tape itself took.
    pub tape_cpu: Duration,
}

/// One detector on one tape.
#[derive(Debug)]
pub struct Scored {
    /// What it did.
    pub tally: Tally,
    /// Processor time of its own.
    pub cpu: Duration,
}

/// Plays the tape to its end.
pub fn play(tape: &mut dyn Tape, detectors: &mut [Box<dyn Detector>]) -> Played {
    let setting = tape.setting().clone();
    let mut stand = Stand::new(&setting, detectors.len());
    let mut clock = CpuClock::new();
    let mut tape_cpu = Duration::ZERO;
    loop {
        clock.lap();
        let block: Vec<Timed> = (&mut *tape).take(BLOCK).collect();
        tape_cpu += clock.lap();
        if block.is_empty() {
            break;
        }
        stand.take(&mut clock, &block, detectors);
    }
    let scores = stand.finish(&setting, tape);
    Played { scores, tape_cpu }
}

/// What is written down while the tape runs.
struct Stand {
    first: Arc<quorate_core::fleet::Fleet>,
    roster: Arc<Roster>,
    attendance: Attendance,
    begins_at: Option<Moment>,
    recorders: Vec<Recorder>,
    cpu: Vec<Duration>,
}

impl Stand {
    fn new(setting: &Setting, detectors: usize) -> Self {
        let first = Arc::clone(&setting.fleet);
        Self {
            roster: Arc::new(Roster::new(&first, Arc::clone(&first))),
            attendance: Attendance::new(&first),
            begins_at: None,
            recorders: (0..detectors).map(|_| Recorder::new(&first)).collect(),
            cpu: vec![Duration::ZERO; detectors],
            first,
        }
    }

    fn take(&mut self, clock: &mut CpuClock, block: &[Timed], detectors: &mut [Box<dyn Detector>]) {
        let parts = self.parts(block);
        clock.lap();
        for ((detector, recorder), cpu) in detectors.iter_mut().zip(&mut self.recorders).zip(&mut self.cpu) {
            for (part, roster) in &parts {
                for Timed { at, step } in *part {
                    detector.take(*at, step);
                    match step {
                        Step::Judge => recorder.note(*at, detector.findings(), roster),
                        Step::Fleet(_) => recorder.change(),
                        Step::Report(_) | Step::Resumed => {}
                    }
                }
            }
            *cpu += clock.lap();
        }
    }

    /// The block, with the roster that holds in each part of it, so that detector after detector can be led through all.
    fn parts<'a>(&mut self, block: &'a [Timed]) -> Vec<(&'a [Timed], Arc<Roster>)> {
        let mut parts = Vec::with_capacity(1);
        let mut begins = 0;
        for (here, Timed { at, step }) in block.iter().enumerate() {
            match step {
                Step::Fleet(fleet) => {
                    parts.push((&block[begins..here], Arc::clone(&self.roster)));
                    begins = here;
                    self.roster = Arc::new(Roster::new(&self.first, Arc::clone(fleet)));
                    if self.begins_at.is_some() {
                        self.attendance.note(*at, &self.roster);
                    }
                }
                Step::Judge if self.begins_at.is_none() => {
                    self.begins_at = Some(*at);
                    self.attendance.note(*at, &self.roster);
                }
                Step::Judge | Step::Report(_) | Step::Resumed => {}
            }
        }
        parts.push((&block[begins..], Arc::clone(&self.roster)));
        parts
    }

    fn finish(self, setting: &Setting, tape: &dyn Tape) -> Vec<Scored> {
        let end = setting.ends_at;
        let begins_at = self.begins_at.unwrap_or(end);
        let whole = Span { from: begins_at.min(end), until: end };
        let attendance = self.attendance.finish(end);
        let case = Case::new(Arc::clone(&setting.fleet), setting.interval, whole, attendance, tape.truth());
        let scored =
            |(recorder, cpu): (Recorder, Duration)| Scored { tally: Tally::new(&case, &recorder.finish(end)), cpu };
        self.recorders.into_iter().zip(self.cpu).map(scored).collect()
    }
}
