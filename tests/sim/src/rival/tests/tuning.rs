//! The search finds what is as quick as Quorate, and a larger knob is never quicker.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use quorate_core::fleet::{EntryIx, Fleet, ServerIx};
use quorate_core::report::Health;
use quorate_core::time::Moment;

use super::{Look, Play, ROUND, plain, setting};
use crate::rival::Kind;
use crate::rival::tuning::{Rounds, search};
use crate::tape::{Setting, Step, Tape, Timed};
use crate::truth::{Plight, Truth, Turn};

/// A server of twenty crashes; witnesses look one after another, a round apart each, and findings are asked for every five seconds.
struct Crash {
    setting: Setting,
    truth: Truth,
    steps: VecDeque<Timed>,
}

impl Crash {
    /// `seed` is the second of a round at which it crashes.
    fn new(seed: u64) -> Self {
        const SERVERS: u64 = 20;
        const CRASHED: usize = 7;
        const ENDS: u64 = 900;
        let fleet: Arc<Fleet> = plain(20);
        let at = |second: u64| Moment::from_ms(1000 * second);
        let crash = 200 + seed;
        let mut play = Play::of(Kind::Majority, &fleet);
        let mut steps = VecDeque::new();
        for second in 0..ENDS {
            for witness in (0..SERVERS).filter(|witness| (second + 3 * witness) % 60 == 0) {
                let lost = second >= crash;
                if lost && witness as usize == CRASHED {
                    continue;
                }
                let looks = |_, target| if lost && target == CRASHED { Look::Down } else { Look::Up };
                play.round += 1;
                let mut report = play.report(ServerIx(witness as u32), Health::Ok, &looks);
                report.observed_at = at(second);
                steps.push_back(Timed { at: at(second), step: Step::Report(report) });
            }
            if second % 5 == 0 {
                steps.push_back(Timed { at: at(second), step: Step::Judge });
            }
        }
        let turn = Turn { at: at(crash), entry_point: EntryIx(CRASHED as u32), plight: Plight::Dead };
        let setting = Setting { ends_at: at(ENDS), ..setting(&fleet) };
        let mut truth = Truth::default();
        truth.turns.push(turn);
        Self { setting, truth, steps }
    }
}

impl Iterator for Crash {
    type Item = Timed;

    fn next(&mut self) -> Option<Timed> {
        self.steps.pop_front()
    }
}

impl Tape for Crash {
    fn setting(&self) -> &Setting {
        &self.setting
    }

    fn truth(&self) -> &Truth {
        &self.truth
    }
}

/// How long a rival takes for one crash.
fn delay(kind: Kind, knob: Option<Rounds>, seed: u64) -> Duration {
    let tape = Crash::new(seed);
    let turn = tape.truth.turns[0].clone();
    let mut detector = kind.detector(&tape.setting, knob);
    for timed in tape {
        detector.take(timed.at, &timed.step);
        if detector.findings().removed.contains(&turn.entry_point) {
            return timed.at.since(turn.at);
        }
    }
    panic!("{} never found it", kind.name());
}

#[test]
fn every_rival_is_set_to_find_crashes_within_a_round_of_quorate() {
    let knobs = search((0..3).map(|seed| Crash::new(21 * seed)));
    let with = |kind: Kind| delay(kind, knobs.of(kind), 21);
    // Quorate needs three rounds, and half of the sites.
    let aim = with(Kind::Majority);
    for kind in Kind::ALL {
        assert!(with(kind).abs_diff(aim) <= ROUND, "{}: {:?}", kind.name(), with(kind));
    }
    assert_eq!(knobs.of(Kind::Majority), Some(3));
}

#[test]
fn more_rounds_are_never_quicker() {
    for kind in Kind::ALL {
        let delays: Vec<Duration> = (1..=6).map(|knob| delay(kind, Some(knob), 0)).collect();
        assert!(delays.is_sorted() && delays[0] < delays[5], "{}: {delays:?}", kind.name());
    }
}

#[test]
fn without_a_crash_everything_stays_as_documented() {
    assert_eq!(search(std::iter::empty::<Crash>()).of(Kind::Ceph), None);
}
