//! Minute by minute: what was so, and below it what a detector held. A column is one interval of a minute, and the detector is
//! asked at its beginning.
//!
//! So: `.` well, `X` dead, `r` dead for Romania, `?` undecided, a space not in the fleet; `trouble` is on at `!`.
//! Held: `.` nothing, `-` taken away, `~` doubted aloud.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use quorate_core::fleet::{Country, EntryIx, EntryPointSpec, Fleet, Intent, RouteSpec, ServerSpec};
use quorate_core::lane::Lane;
use quorate_core::policy::Policy;
use quorate_core::time::Moment;

use super::play::play;
use super::tally::Tally;
use crate::detector::{Detector, Findings};
use crate::tape::{Setting, Step, Tape, Timed};
use crate::truth::{Plight, Trouble, Truth, Turn};

#[test]
fn detection_counts_from_the_onset_to_the_first_removal() {
    let tally = scored("a ...XXXXXX", "a ......---");
    assert_eq!((tally.detection_ms, tally.undetected), (vec![180_000], 0));
}

#[test]
fn a_fault_that_ends_before_it_is_found_is_undetected() {
    let tally = scored("a ...XXX...", "a .........");
    assert_eq!((tally.detection_ms, tally.undetected), (vec![], 1));
    let tally = scored("a ...XXX...", "a ......---");
    assert_eq!((tally.detection_ms, tally.undetected), (vec![], 1));
}

#[test]
fn a_fault_of_what_was_away_already_is_found_at_once() {
    let tally = scored("a ....XXX..", "a ..-------");
    assert_eq!((tally.detection_ms, tally.undetected), (vec![0], 0));
}

#[test]
fn a_fault_ends_when_its_entry_point_leaves_the_fleet() {
    let tally = scored("a ...XXX   \nb .........", "a .........\nb .........");
    assert_eq!((tally.undetected, tally.unhealed, tally.dead_served_ms), (1, 0, 180_000));
    assert_eq!(tally.server_ms, 15 * 60_000);
}

#[test]
fn who_takes_away_the_well_in_an_incident_blames_the_wrong_side() {
    let truth = "a ..XXXX..\nb ........\nc ........";
    let tally = scored(truth, "a ....--..\nb .....-..\nc .....-..");
    assert_eq!((tally.incidents, tally.blamed, tally.wrong_removals, tally.false_removals), (1, 1, 2, 2));
    let tally = scored(truth, "a ....--..\nb ........\nc ........");
    assert_eq!((tally.incidents, tally.blamed, tally.wrong_removals, tally.false_removals), (1, 0, 0, 0));
}

#[test]
fn a_trouble_that_kills_nobody_is_an_incident() {
    let truth = "trouble ..!!!..\na .......";
    let tally = scored(truth, "a ...-...");
    assert_eq!((tally.incidents, tally.blamed, tally.wrong_removals), (1, 1, 1));
    assert_eq!((tally.detection_ms, tally.undetected), (vec![], 0));
}

#[test]
fn a_false_removal_outside_every_incident_is_nobodys_blame() {
    let tally = scored("a ..X........\nb ...........", "a ...........\nb ........-..");
    assert_eq!((tally.blamed, tally.false_removals), (0, 1));
    let tally = scored("a ..X........\nb ...........", "a ...........\nb .......-...");
    assert_eq!((tally.blamed, tally.false_removals), (1, 1));
}

#[test]
fn what_is_taken_away_just_after_its_own_fault_is_late_and_not_wrong() {
    let tally = scored("a ..XX.........", "a ........--...");
    assert_eq!((tally.false_removals, tally.heal_ms), (0, vec![360_000]));
    let tally = scored("a ..XX.........", "a .........--..");
    assert_eq!((tally.false_removals, tally.heal_ms), (1, vec![]));
}

#[test]
fn what_is_dead_for_some_may_be_taken_away_and_is_a_fault() {
    let tally = scored("a ..rrrr..", "a ....--..");
    assert_eq!((tally.false_removals, tally.blamed), (0, 0));
    assert_eq!(tally.detection_ms, [120_000]);
}

#[test]
fn what_is_undecided_is_no_fault_and_nobodys_blame() {
    let tally = scored("a ..????..", "a ...--...");
    assert_eq!((tally.incidents, tally.false_removals, tally.undetected), (1, 0, 0));
    assert_eq!((tally.withheld_ms, tally.dead_served_ms), (0, 0));
}

#[test]
fn healing_counts_from_the_end_of_the_fault() {
    let tally = scored("a .XXXX....", "a ...----..");
    assert_eq!((tally.heal_ms, tally.unhealed), (vec![120_000], 0));
    let tally = scored("a .XXXX....", "a ...------");
    assert_eq!((tally.heal_ms, tally.unhealed), (vec![], 1));
}

#[test]
fn a_fault_whose_entry_point_was_given_back_before_has_nothing_to_heal() {
    let tally = scored("a .XXXXX....", "a ..--......");
    assert_eq!((tally.heal_ms, tally.unhealed), (vec![], 0));
}

#[test]
fn minutes_are_withheld_from_the_well_and_served_to_the_dead() {
    let tally = scored("a ..XXXX....\nb ..........", "a ....-----.\nb ........--");
    assert_eq!(tally.dead_served_ms, 2 * 60_000);
    assert_eq!(tally.withheld_ms, (3 + 2) * 60_000);
}

#[test]
fn the_dead_may_be_served_where_there_is_nothing_better() {
    let truth = "a ..XXXX\nb ....XX";
    assert_eq!(scored(truth, "a ......\nb ......").dead_served_ms, 2 * 60_000);
}

#[test]
fn who_is_dead_for_some_is_judged_by_whom_the_route_serves() {
    let held = "a ....\nb ....";
    let dead_served = |audience: &[&str]| scored_for(audience, "a .rrr\nb ....", held).dead_served_ms;
    assert_eq!(dead_served(&["RO"]), 3 * 60_000);
    assert_eq!(dead_served(&["DE"]), 0);
    assert_eq!(dead_served(&["DE", "RO"]), 0);
    assert_eq!(dead_served(&[]), 0);
    let held = "a .---\nb ....";
    let withheld = |audience: &[&str]| scored_for(audience, "a .rrr\nb ....", held).withheld_ms;
    assert_eq!(withheld(&["RO"]), 0);
    assert_eq!(withheld(&["DE"]), 3 * 60_000);
    assert_eq!(withheld(&["DE", "RO"]), 0);
    assert_eq!(withheld(&[]), 0);
}

#[test]
fn who_takes_nothing_away_in_an_incident_abstains() {
    let truth = "trouble ..!!..........!!....\na ....................";
    let tally = scored(truth, "a ...~~...............");
    assert_eq!((tally.incidents, tally.abstained, tally.doubted), (2, 2, 1));
    let tally = scored(truth, "a .............~-.....");
    assert_eq!((tally.incidents, tally.abstained, tally.doubted), (2, 1, 0));
    let tally = scored(truth, "a ..............~-....");
    assert_eq!((tally.incidents, tally.abstained, tally.doubted), (2, 1, 1));
}

#[test]
fn flips_count_from_the_first_incident_on() {
    let truth = "a ....XXXXXX..";
    assert_eq!(scored(truth, "a ......----..").flips, 2);
    assert_eq!(scored(truth, "a ......------").flips, 1);
    assert_eq!(scored(truth, "a .-....-.--..").flips, 4);
}

#[test]
fn a_route_whose_every_entry_point_is_taken_away_is_empty() {
    let truth = "trouble ..!!..\na ......\nb ......";
    assert_eq!(scored(truth, "a .-.-..\nb ..-...").empty_routes, 0);
    assert_eq!(scored(truth, "a ..--..\nb .-----").empty_routes, 1);
    assert_eq!(scored(truth, "a -.-.-.\nb ------").empty_routes, 3);
}

#[test]
fn what_leaves_the_fleet_is_not_given_back() {
    let tally = scored("a .XXXX   \nb ........", "a ..------\nb ........");
    assert_eq!((tally.flips, tally.unhealed, tally.heal_ms), (1, 0, vec![]));
}

const MINUTE: Duration = Duration::from_secs(60);

/// What a detector did that held `held` while `truth` was so, on one route for everybody.
fn scored(truth: &str, held: &str) -> Tally {
    scored_for(&[], truth, held)
}

fn scored_for(audience: &[&str], truth: &str, held: &str) -> Tally {
    let mut tape = Drawn::new(audience, &rows(truth));
    let names = tape.setting.fleet.entry_points().iter().map(|entry_point| entry_point.id.clone()).collect();
    let held = Held {
        names,
        rows: rows(held),
        asked: 0,
        fleet: Arc::clone(&tape.setting.fleet),
        findings: Findings::default(),
    };
    let mut detectors: Vec<Box<dyn Detector>> = vec![Box::new(held)];
    play(&mut tape, &mut detectors).scores.remove(0).tally
}

fn rows(drawn: &str) -> BTreeMap<String, Vec<char>> {
    let row = |line: &str| {
        let (name, columns) = line.split_once(' ').expect("a name, a space and the columns");
        (name.to_owned(), columns.chars().collect())
    };
    drawn.lines().map(row).collect()
}

struct Drawn {
    setting: Setting,
    truth: Truth,
    steps: std::vec::IntoIter<Timed>,
}

impl Drawn {
    fn new(audience: &[&str], rows: &BTreeMap<String, Vec<char>>) -> Self {
        let columns = rows.values().next().map_or(0, Vec::len);
        let names: Vec<&str> = rows.keys().map(String::as_str).filter(|name| *name != "trouble").collect();
        let fleet_at = |column: usize| fleet(audience, names.iter().copied().filter(|name| rows[*name][column] != ' '));
        let first = Arc::new(fleet_at(0));
        let mut truth = Truth::default();
        let mut steps = Vec::new();
        for column in 0..columns {
            let at = Moment::ZERO.after(MINUTE * column as u32);
            let changed = |row: &[char]| column == 0 || row[column] != row[column - 1];
            if column > 0 && names.iter().any(|name| (rows[*name][column] == ' ') != (rows[*name][column - 1] == ' ')) {
                steps.push(Timed { at, step: Step::Fleet(Arc::new(fleet_at(column))) });
            }
            for name in &names {
                let plight = match rows[*name][column] {
                    'X' => Plight::Dead,
                    'r' => Plight::DeadFor(vec!["RO".parse().unwrap()]),
                    '?' => Plight::Undecided,
                    _ => Plight::Well,
                };
                if changed(&rows[*name]) && rows[*name][column] != ' ' {
                    let entry_point = first
                        .find_entry_point(name)
                        .expect("who joins later has no truth: draw it from the first column on");
                    truth.turns.push(Turn { at, entry_point, plight });
                }
            }
            if rows.get("trouble").is_some_and(|row| row[column] == '!') {
                truth.troubles.push(Trouble { from: at, until: at.after(MINUTE) });
            }
            steps.push(Timed { at, step: Step::Judge });
        }
        let ends_at = Moment::ZERO.after(MINUTE * columns as u32);
        let setting = Setting { fleet: first, policy: Policy::default(), interval: MINUTE, ends_at };
        Self { setting, truth, steps: steps.into_iter() }
    }
}

impl Iterator for Drawn {
    type Item = Timed;

    fn next(&mut self) -> Option<Timed> {
        self.steps.next()
    }
}

impl Tape for Drawn {
    fn setting(&self) -> &Setting {
        &self.setting
    }

    fn truth(&self) -> &Truth {
        &self.truth
    }
}

fn fleet<'a>(audience: &[&str], names: impl Iterator<Item = &'a str> + Clone) -> Fleet {
    let server = |name: &str| ServerSpec {
        id: format!("server-{name}"),
        country: None,
        site: None,
        verifier: false,
        intent: Intent::Active,
        entry_points: vec![EntryPointSpec {
            id: name.to_owned(),
            lane: Lane::Tcp4,
            address: None,
            probe: None,
            upstreams: vec![],
            weight: 1,
        }],
    };
    let countries: Vec<Country> = audience.iter().map(|country| country.parse().unwrap()).collect();
    let entry_points = names.clone().map(str::to_owned).collect();
    let route = RouteSpec { id: "all".to_owned(), entry_points, audience: countries };
    Fleet::new(names.map(server).collect(), vec![route]).unwrap()
}

/// Holds what was drawn.
struct Held {
    names: Vec<String>,
    rows: BTreeMap<String, Vec<char>>,
    asked: usize,
    fleet: Arc<Fleet>,
    findings: Findings,
}

impl Detector for Held {
    fn name(&self) -> &'static str {
        "drawn"
    }

    fn take(&mut self, _: Moment, step: &Step) {
        match step {
            Step::Fleet(fleet) => self.fleet = Arc::clone(fleet),
            Step::Judge => {
                let column = self.asked;
                self.asked += 1;
                let all = |what: char| -> BTreeSet<EntryIx> {
                    let names = self.names.iter().filter(|name| self.rows[*name][column] == what);
                    names.filter_map(|name| self.fleet.find_entry_point(name)).collect()
                };
                let removed = all('-');
                let route = &self.fleet.routes()[0].entry_points;
                let delivered = vec![route.iter().copied().filter(|ix| !removed.contains(ix)).collect()];
                self.findings = Findings { removed, doubted: all('~'), delivered };
            }
            Step::Report(_) | Step::Resumed => {}
        }
    }

    fn findings(&self) -> &Findings {
        &self.findings
    }
}
