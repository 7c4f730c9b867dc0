//! How sensitive a rival is: as its source documents it, or so that it is as quick as Quorate on crashes.
//!
//! A rival that takes longer to look is seldom wrong, and one that jumps at once is seldom late, so figures of two detectors
//! compare only where one of the two is held equal. Each rival has one knob of its own for that: how many rounds must fail.
//! The knob is searched, not chosen: crashes are played to every rival at every setting of its knob and to Quorate as it comes,
//! and the setting whose median detection time is nearest to Quorate's is taken, the less hasty one of two that are as near.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Range, RangeInclusive};
use std::sync::OnceLock;
use std::time::Duration;

use quorate_core::fleet::EntryIx;
use quorate_core::time::Moment;

use super::{Kind, quorate};
use crate::detector::Detector;
use crate::scenario;
use crate::tape::{Step, Tape, Timed};
use crate::truth::{Plight, Truth};

/// How many rounds must fail before a rival believes it.
pub(crate) type Rounds = u8;

/// How the rivals are set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tuning {
    /// As their sources document it.
    Documented,
    /// So that their median detection time on crashes is as near to Quorate's as whole rounds allow.
    EqualDetection,
}

/// The settings of the rivals' knobs; none is as documented.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Knobs(BTreeMap<Kind, Rounds>);

impl Knobs {
    pub fn of(&self, kind: Kind) -> Option<Rounds> {
        self.0.get(&kind).copied()
    }
}

/// Every setting that is tried: twice as many rounds as Quorate asks for find nothing as soon as it does.
const TRIED: RangeInclusive<Rounds> = 1..=6;
/// How often detectors are asked; a round is twelve times as long.
const ASKED_EVERY: Duration = Duration::from_secs(5);
/// For how many rounds after the last crash; who has not found it by then is not nearest.
const ROUNDS: u32 = 12;

/// The settings at which the crashes of these tapes are found as soon as Quorate finds them.
pub(crate) fn search<T: Tape>(tapes: impl Iterator<Item = T>) -> Knobs {
    let mut quorates = Delays::default();
    let mut rivals: BTreeMap<(Kind, Rounds), Delays> = BTreeMap::new();
    for mut tape in tapes {
        let setting = tape.setting().clone();
        let mut reference = Watch::new(Box::new(quorate::Quorate::new(&setting, None)));
        let tried = Kind::ALL.iter().flat_map(|kind| TRIED.map(|knob| (*kind, knob)));
        let mut watches: Vec<((Kind, Rounds), Watch)> =
            tried.map(|(kind, knob)| ((kind, knob), Watch::new(kind.detector(&setting, Some(knob))))).collect();
        let mut asking = Asking::default();
        while let Some(timed) = tape.next() {
            match asking.look(&timed, tape.truth(), setting.interval) {
                Look::Pass => {}
                Look::Skip => continue,
                Look::End => break,
            }
            reference.take(&timed);
            for (_, watch) in &mut watches {
                watch.take(&timed);
            }
        }
        quorates.extend(&reference, tape.truth(), setting.ends_at);
        for (place, watch) in &watches {
            rivals.entry(*place).or_default().extend(watch, tape.truth(), setting.ends_at);
        }
    }
    let Some(aim) = quorates.median() else { return Knobs::default() };
    let nearest = |kind: &Kind| {
        let at =
            |knob: &Rounds| rivals.get(&(*kind, *knob)).and_then(Delays::median).map(|median| median.abs_diff(aim));
        let best = TRIED.filter_map(|knob| at(&knob).map(|distance| (distance, std::cmp::Reverse(knob)))).min();
        best.map(|(_, std::cmp::Reverse(knob))| (*kind, knob))
    };
    Knobs(Kind::ALL.iter().filter_map(nearest).collect())
}

/// Which steps of a tape matter: detectors need not be asked before the first crash, nor long after the last.
#[derive(Debug, Default)]
struct Asking {
    asked_at: Option<Moment>,
}

enum Look {
    Pass,
    Skip,
    End,
}

impl Asking {
    fn look(&mut self, timed: &Timed, truth: &Truth, round: Duration) -> Look {
        let last = truth.turns.iter().rev().find(|turn| turn.plight == Plight::Dead);
        match (&timed.step, last) {
            (Step::Judge, None) => Look::Skip,
            (Step::Judge, Some(last)) if timed.at.since(last.at) > round * ROUNDS => Look::End,
            (Step::Judge, Some(_)) if self.asked_at.is_some_and(|asked| timed.at.since(asked) < ASKED_EVERY) => {
                Look::Skip
            }
            (Step::Judge, Some(_)) => {
                self.asked_at = Some(timed.at);
                Look::Pass
            }
            (Step::Report(_) | Step::Fleet(_) | Step::Resumed, _) => Look::Pass,
        }
    }
}

/// When a detector took which entry points away.
struct Watch {
    detector: Box<dyn Detector>,
    /// Each time one was taken away, in order.
    removals: Vec<(Moment, EntryIx)>,
    held: BTreeSet<EntryIx>,
}

impl Watch {
    fn new(detector: Box<dyn Detector>) -> Self {
        Self { detector, removals: Vec::new(), held: BTreeSet::new() }
    }

    fn take(&mut self, timed: &Timed) {
        self.detector.take(timed.at, &timed.step);
        if let Step::Judge = timed.step {
            let removed = &self.detector.findings().removed;
            if *removed != self.held {
                self.removals.extend(removed.difference(&self.held).map(|ix| (timed.at, *ix)));
                self.held.clone_from(removed);
            }
        }
    }
}

/// How long each crash took to be found; one that never was is as late as can be.
#[derive(Debug, Default)]
struct Delays(Vec<Duration>);

impl Delays {
    fn extend(&mut self, watch: &Watch, truth: &Truth, ends_at: Moment) {
        for (at, turn) in truth.turns.iter().enumerate().filter(|(_, turn)| turn.plight == Plight::Dead) {
            let next = truth.turns[at + 1..].iter().find(|later| later.entry_point == turn.entry_point);
            let until = next.map_or(ends_at, |later| later.at);
            let found =
                watch.removals.iter().find(|(when, ix)| *ix == turn.entry_point && (turn.at..=until).contains(when));
            self.0.push(found.map_or(Duration::MAX, |(when, _)| when.since(turn.at)));
        }
    }

    fn median(&self) -> Option<Duration> {
        let mut delays = self.0.clone();
        delays.sort_unstable();
        delays.get(delays.len() / 2).copied()
    }
}

/// Seeds of the tapes that the search plays; no figure of the scoreboard comes from them.
const SEEDS: Range<u64> = 900_000..900_010;

/// The settings found on S1a, where one server in a hundred crashes, once in the life of a process. Where many crash at once
/// (S1b) witnesses wait for so many timeouts that their rounds are late, and how soon a detector is there is not its knob alone.
pub(crate) fn equal_detection() -> &'static Knobs {
    static FOUND: OnceLock<Knobs> = OnceLock::new();
    let crash = scenario::find("S1a").expect("S1a is a scenario");
    FOUND.get_or_init(|| search(SEEDS.map(|seed| crash.tape(seed))))
}
