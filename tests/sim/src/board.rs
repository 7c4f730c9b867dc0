//! Plays all scenarios from many seeds to all detectors, on all processors, and makes the lines of the scoreboard.
//!
//! A run is one scenario from one seed: its tape is made once, and everybody is fed from it. Runs are dealt to the processors
//! one by one and scored by their place, so that the lines are the same however many processors there are.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::detector::Detector;
use crate::recorded::Recorded;
use crate::rival::{self, Tuning};
use crate::scenario;
use crate::score::goal::{self, Goal};
use crate::score::play::{Played, play};
use crate::score::row::Row;
use crate::score::tally::Tally;
use crate::tape::{Setting, Tape};

/// Every word for a tuning, in the order of the lines.
pub const TUNINGS: [&str; 2] = ["documented", "equal_detection"];

/// Something that can be played: a scenario, or a recorded mesh, which there is but one run of.
pub struct Course {
    /// `S1a`, or the name of a recorded mesh.
    pub name: String,
    /// A few words.
    pub title: String,
    /// What happens, and what is true of it.
    pub about: String,
    /// How many runs.
    pub seeds: u64,
    /// Whether Quorate without each of its rules is played too.
    pub parts: bool,
    tape: Box<dyn Fn(u64) -> Box<dyn Tape> + Send + Sync>,
}

impl Course {
    /// Something that is played from each of so many seeds, 1 first.
    pub fn new(name: &str, seeds: u64, tape: impl Fn(u64) -> Box<dyn Tape> + Send + Sync + 'static) -> Self {
        Self {
            name: name.to_owned(),
            title: String::new(),
            about: String::new(),
            seeds,
            parts: true,
            tape: Box::new(tape),
        }
    }

    /// All scenarios.
    pub fn scenarios(seeds: u64) -> Vec<Self> {
        let of = |scenario: &'static scenario::Scenario| Self {
            title: scenario.name.to_owned(),
            about: format!("{} {}", scenario.about, scenario.truth),
            parts: !WITHOUT_PARTS.contains(&scenario.id),
            ..Self::new(scenario.id, seeds, |seed| Box::new(scenario.tape(seed)))
        };
        scenario::all().iter().map(of).collect()
    }

    /// The recorded meshes of a folder, those that are there.
    pub fn recorded(folder: &Path) -> anyhow::Result<Vec<Self>> {
        let mut courses = Vec::new();
        for (name, title, about) in MESHES {
            let mesh = folder.join(name);
            if !mesh.is_dir() {
                continue;
            }
            let recorded = Recorded::open(&mesh)?;
            courses.push(Self {
                title: title.to_owned(),
                about: about.to_owned(),
                ..Self::new(name, 1, move |_| Box::new(recorded.clone()))
            });
        }
        Ok(courses)
    }

    /// Whether somebody who says `wanted` means it: by its whole name, or by that of all its kinds, as `S1` for `S1a`.
    pub fn is_meant_by(&self, wanted: &str) -> bool {
        let kind = self.name.strip_prefix(wanted);
        kind.is_some_and(|kind| kind.is_empty() || kind.len() == 1 && kind.bytes().all(|b| b.is_ascii_lowercase()))
    }
}

/// A month takes Quorate a second or two, and its parts eighteen times that: of four months with more and more loss, they are
/// played in the worst alone, or the whole would not be done in half an hour on two processors.
const WITHOUT_PARTS: [&str; 3] = ["S19a", "S19b", "S19c"];

/// Recorded meshes, from `docs/detection.md`.
const MESHES: [(&str, &str, &str); 3] = [
    (
        "sciera",
        "a research network, 19 days",
        "9 witnesses and 14 nodes of SCIERA, one round an hour, played as one a minute.",
    ),
    (
        "sciera_ip",
        "the same over the internet",
        "The same witnesses and hours over the ordinary internet, where nothing failed.",
    ),
    (
        "seattle",
        "99 by 99",
        "The Seattle testbed, 99 rounds of a full mesh; a round trip over two seconds counts as failed.",
    ),
];

/// Who is scored, and under which tunings its lines stand: Quorate's own are the same under both.
pub struct Entrant {
    /// The detector, before the first step.
    pub detector: Box<dyn Detector>,
    /// Of [`TUNINGS`].
    pub tunings: &'static [&'static str],
}

/// Who is scored on a tape.
pub type Lineup = dyn Fn(&Setting) -> Vec<Entrant> + Sync;

/// Quorate, Quorate without each of its rules, and every rival under both tunings.
pub fn everybody(setting: &Setting) -> Vec<Entrant> {
    let quorates = rival::quorates(setting).into_iter().map(|detector| Entrant { detector, tunings: &TUNINGS });
    let documented = rival::rivals(setting, Tuning::Documented).into_iter();
    let equal = rival::rivals(setting, Tuning::EqualDetection).into_iter();
    let documented = documented.map(|detector| Entrant { detector, tunings: &TUNINGS[..1] });
    let equal = equal.map(|detector| Entrant { detector, tunings: &TUNINGS[1..] });
    quorates.chain(documented).chain(equal).collect()
}

/// What came of it.
pub struct Board {
    /// The lines: by scenario, by tuning, Quorate first.
    pub rows: Vec<Row>,
    /// Processor time by detector, both tunings together, and of the tapes.
    pub cpu: BTreeMap<String, Duration>,
    /// Processor time of making the tapes.
    pub tapes_cpu: Duration,
    /// What Quorate is held to.
    pub goals: Vec<Goal>,
}

/// One run, with the name and the tunings of each that was scored in it.
struct Run {
    entrants: Vec<(String, &'static [&'static str])>,
    played: Played,
    detection_allowed: Duration,
}

/// Plays everything. `told` hears of each course that is done, from any thread.
pub fn run(courses: &[Course], lineup: &Lineup, threads: usize, told: &(dyn Fn(&Course, Duration) + Sync)) -> Board {
    let jobs: Vec<(usize, u64)> =
        courses.iter().enumerate().flat_map(|(nth, course)| (1..=course.seeds).map(move |seed| (nth, seed))).collect();
    let next = AtomicUsize::new(0);
    let done: Mutex<BTreeMap<(usize, u64), Run>> = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                while let Some((nth, seed)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)).copied() {
                    let run = one(&courses[nth], lineup, seed);
                    let mut done = done.lock().expect("no thread panics while it holds this");
                    done.insert((nth, seed), run);
                    let of_course = done.range((nth, 0)..=(nth, u64::MAX));
                    if of_course.clone().count() as u64 == courses[nth].seeds {
                        told(&courses[nth], of_course.map(|(_, run)| cpu(run)).sum());
                    }
                }
            });
        }
    });
    let done = done.into_inner().expect("no thread panicked");
    let mut board = Board { rows: Vec::new(), cpu: BTreeMap::new(), tapes_cpu: Duration::ZERO, goals: Vec::new() };
    let mut detection_allowed: BTreeMap<&str, Duration> = BTreeMap::new();
    for (nth, course) in courses.iter().enumerate() {
        let runs: Vec<&Run> = done.range((nth, 0)..=(nth, u64::MAX)).map(|(_, run)| run).collect();
        detection_allowed.extend(runs.first().map(|run| (course.name.as_str(), run.detection_allowed)));
        board.enter(course, &runs);
    }
    board.goals = goal::judge(&board.rows, |scenario| detection_allowed.get(scenario).copied().unwrap_or_default());
    board
}

fn one(course: &Course, lineup: &Lineup, seed: u64) -> Run {
    let mut tape = (course.tape)(seed);
    let detection_allowed = goal::detection_allowed(tape.setting());
    let (mut detectors, mut entrants) = (Vec::new(), Vec::new());
    for Entrant { detector, tunings } in lineup(tape.setting()) {
        if !course.parts && detector.name().starts_with(goal::ABLATION) {
            continue;
        }
        entrants.push((detector.name().to_owned(), tunings));
        detectors.push(detector);
    }
    let played = play(&mut *tape, &mut detectors);
    Run { entrants, played, detection_allowed }
}

fn cpu(run: &Run) -> Duration {
    run.played.tape_cpu + run.played.scores.iter().map(|score| score.cpu).sum::<Duration>()
}

impl Board {
    fn enter(&mut self, course: &Course, runs: &[&Run]) {
        self.tapes_cpu += runs.iter().map(|run| run.played.tape_cpu).sum::<Duration>();
        let Some(first) = runs.first() else { return };
        for tuning in TUNINGS {
            for (nth, (name, tunings)) in first.entrants.iter().enumerate() {
                if !tunings.contains(&tuning) {
                    continue;
                }
                let tallies: Vec<&Tally> = runs.iter().map(|run| &run.played.scores[nth].tally).collect();
                let cpu: Duration = runs.iter().map(|run| run.played.scores[nth].cpu).sum();
                // What stands under both tunings was played once.
                if tunings.first() == Some(&tuning) {
                    *self.cpu.entry(name.clone()).or_default() += cpu;
                }
                self.rows.push(Row::new(&course.name, name, tuning, &tallies, cpu.as_secs_f64()));
            }
        }
    }

    /// All of it, and what was played.
    pub fn to_json(&self, courses: &[Course]) -> Value {
        let rounded = |span: Duration| (span.as_secs_f64() * 1000.0).round() / 1000.0;
        let scenarios: Vec<Value> = courses
            .iter()
            .map(|course| json!({"name": course.name, "title": course.title, "about": course.about, "runs": course.seeds}))
            .collect();
        let cpu: serde_json::Map<String, Value> =
            self.cpu.iter().map(|(name, cpu)| (name.clone(), json!(rounded(*cpu)))).collect();
        json!({
            "rows": self.rows.iter().map(Row::to_json).collect::<Vec<Value>>(),
            "goals": self.goals.iter().map(Goal::to_json).collect::<Vec<Value>>(),
            "scenarios": scenarios,
            "cpu_s": {"tapes": rounded(self.tapes_cpu), "detectors": cpu},
        })
    }
}

#[cfg(test)]
mod tests;
