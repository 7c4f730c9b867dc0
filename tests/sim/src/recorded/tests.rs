//! Hindsight on a small mesh, drawn: a row for each witness, a column for each round, and in it whom it reached.

use std::collections::BTreeSet;
use std::env;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use quorate_core::fleet::{EntryPointSpec, Intent, ServerSpec};
use quorate_core::lane::Lane;
use quorate_core::outcome::{Failure, FailureKind, Operation, Outcome};
use quorate_core::policy::Policy;
use quorate_core::report::Health;

use super::*;

#[test]
fn who_is_reached_by_no_observer_is_dead_until_one_does() {
    let seen = "a  bcd bc- bc- bcd\nb  acd ac- ac- acd\nc  abd ab- ab- abd";
    assert_eq!(dead(seen), "d 1-2");
}

#[test]
fn one_observer_that_reaches_it_is_enough() {
    assert_eq!(dead("a  bc- bc-\nb  ac- acd\nc  ab- ab-\nd"), "d 0-0");
}

#[test]
fn who_reaches_less_than_half_is_no_observer_and_may_be_well() {
    assert_eq!(dead("a  bcd bcd\nb  acd acd\nc  --- a--\nd  abc abc"), "");
    assert_eq!(troubles("a  bcd bcd bcd\nb  acd acd acd\nc  --- a-- abd\nd  abc abc abc"), [(0, 2)]);
}

#[test]
fn two_that_reach_each_other_alone_are_dead() {
    assert_eq!(dead("a  b--e bcde\nb  a--e acde\nc  --d- abde\nd  --c- abce\ne  ab-- abcd"), "c 0-0\nd 0-0");
}

#[test]
fn who_was_tried_by_no_observer_is_as_before() {
    assert_eq!(dead("a  bc- --- bcd\nb  ac- --- acd\nc  ab- --- abd"), "d 0-1");
}

/// What people found who looked at all of it. They count the two in Singapore as out in round 134 too, in which two of four
/// reached them and two did not.
#[test]
fn the_outages_of_sciera_are_those_that_people_found() {
    let Some(folder) = meshes() else { return };
    let sciera = Recorded::open(&folder.join("sciera")).unwrap();
    let outages = "equinix/tls 49-57\nethz/tls 96-99\nkisti-singapore/tls 123-133\nsec-singapore/tls 123-133\n\
                   uva/tls 54-64\nequinix/tls 232-244\nequinix/tls 310-318\nuva/tls 374-394";
    assert_eq!(outages_of(&sciera.setting, &sciera.truth), sorted(outages));
}

#[test]
fn nobody_was_out_on_the_ordinary_internet_meanwhile() {
    let Some(folder) = meshes() else { return };
    let control = Recorded::open(&folder.join("sciera_ip")).unwrap();
    assert_eq!(*control.truth, Truth::default());
}

/// The recorded meshes, or a line in the list of what was skipped.
fn meshes() -> Option<PathBuf> {
    let folder = env::var_os("QUORATE_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
    if folder.join("sciera").is_dir() {
        return Some(folder);
    }
    if let Some(list) = env::var_os("QUORATE_SKIPPED") {
        let mut list = OpenOptions::new().append(true).create(true).open(list).unwrap();
        writeln!(list, "optional hindsight on recorded meshes: none in {}", folder.display()).unwrap();
    }
    None
}

/// The outages of a drawn mesh, in rounds, both ends included.
fn dead(drawn: &str) -> String {
    let (setting, steps) = mesh(drawn);
    outages_of(&setting, &Hindsight::of(&setting, &steps))
}

/// The troubles of a drawn mesh, in rounds, the end not included.
fn troubles(drawn: &str) -> Vec<(u64, u64)> {
    let (setting, steps) = mesh(drawn);
    let rounds = |trouble: &Trouble| (trouble.from.as_ms() / 60_000, trouble.until.as_ms() / 60_000);
    Hindsight::of(&setting, &steps).troubles.iter().map(rounds).collect()
}

fn outages_of(setting: &Setting, truth: &Truth) -> String {
    let mut since = BTreeMap::new();
    let mut outages = Vec::new();
    for turn in &truth.turns {
        let (id, round) = (&setting.fleet.entry_point(turn.entry_point).id, turn.at.as_ms() / 60_000);
        match turn.plight {
            Plight::Dead => assert_eq!(since.insert(id, round), None, "{id} died twice"),
            Plight::Well => outages.push(format!("{id} {}-{}", since.remove(id).unwrap(), round - 1)),
            Plight::DeadFor(_) | Plight::Undecided => panic!("hindsight does not say that"),
        }
    }
    assert!(since.is_empty(), "still dead at the end: {since:?}");
    sorted(&outages.join("\n"))
}

fn sorted(lines: &str) -> String {
    let mut lines: Vec<&str> = lines.lines().collect();
    lines.sort_unstable();
    lines.join("\n")
}

/// `a  bc- b-d` is the witness `a` in two rounds: in the first it reached b and c and not d, by the letters' places among the
/// servers other than itself.
fn mesh(drawn: &str) -> (Setting, Vec<Timed>) {
    let names: BTreeSet<char> = drawn.chars().filter(char::is_ascii_lowercase).collect();
    let server = |name: &char| ServerSpec {
        id: name.to_string(),
        country: None,
        site: None,
        verifier: false,
        intent: Intent::Active,
        entry_points: vec![EntryPointSpec {
            id: name.to_string(),
            lane: Lane::Tcp4,
            address: None,
            probe: None,
            upstreams: vec![],
            weight: 1,
        }],
    };
    let fleet = Fleet::new(names.iter().map(server).collect(), vec![]).unwrap();
    let rows: Vec<Vec<&str>> = drawn.lines().map(|line| line.split_whitespace().collect()).collect();
    let rounds = rows.iter().map(Vec::len).max().unwrap() - 1;
    let mut steps = Vec::new();
    for round in 0..rounds {
        let at = Moment::from_ms(60_000 * round as u64);
        for row in &rows {
            let Some(seen) = row.get(round + 1) else { continue };
            let others = names.iter().filter(|name| name.to_string() != row[0]);
            let outcomes = others.zip(seen.chars()).map(|(name, seen)| {
                let outcome = if seen == *name { Outcome::Reached { latency: Duration::ZERO } } else { FAILED };
                (fleet.find_entry_point(&name.to_string()).unwrap(), outcome)
            });
            let witness = fleet.find_server(row[0]).unwrap();
            let outcomes = outcomes.collect();
            let report = Report { witness, observed_at: at, health: Health::Ok, outcomes, sequence: None };
            steps.push(Timed { at, step: Step::Report(report) });
        }
        steps.push(Timed { at, step: Step::Judge });
    }
    let (policy, interval) = (Policy::default(), Duration::from_secs(60));
    let ends_at = Moment::from_ms(60_000 * rounds as u64);
    (Setting { fleet: Arc::new(fleet), policy, interval, ends_at }, steps)
}

const FAILED: Outcome = Outcome::Failed(Failure {
    operation: Operation::Connect,
    kind: FailureKind::Timeout,
    after: Duration::ZERO,
    bytes: 0,
});
