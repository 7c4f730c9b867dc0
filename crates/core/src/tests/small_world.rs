//! A world so small that it can be walked through whole. Three witnesses, one target, four rounds, three
//! outcomes: 531,441 histories, each compared after every round with an oracle that shares nothing with the rules' code but
//! their wording.
//!
//! The oracle looks at the whole history each time and keeps nothing. It is written for this world alone: witnesses see
//! each other always, so they are credible (R3) and beyond doubt themselves (R8.1), and rounds are a minute apart.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::time::Duration;

use crate::evaluate;
use crate::fleet::{EntryIx, Fleet, ServerIx};
use crate::ledger::Ledger;
use crate::outcome::Outcome;
use crate::policy::Policy;
use crate::report::{Health, Report};
use crate::tests::timeline::{self, FAILED, INCONCLUSIVE, REACHED};
use crate::time::Moment;

const OUTCOMES: [Outcome; 3] = [REACHED, FAILED, INCONCLUSIVE];
/// 0 reached, 1 failed, 2 inconclusive, by witness.
type Row = [usize; 3];

/// What distinguishes one small world from another.
#[derive(Clone, Copy)]
struct World {
    drawn: &'static str,
    country: [&'static str; 3],
    site: [&'static str; 3],
    verifier: [bool; 3],
}

/// Two failures a minute apart are a full series, evidence lives for a round and is held for two.
fn policy() -> Policy {
    Policy {
        sustain_rounds: 2,
        sustain_for: Duration::from_secs(60),
        stale_after: Duration::from_secs(60),
        hold_for: Duration::from_secs(120),
        ..Policy::default()
    }
}

/// What is compared: the state and scopes of the target's entry point, who accuses, who vouches, who is held.
fn found(fleet: &Fleet, ledger: &mut Ledger, now: Moment) -> String {
    let verdicts = evaluate::verdicts(fleet, &policy(), ledger, now);
    let target = &verdicts.entry_points[3];
    let names = |servers: &mut dyn Iterator<Item = ServerIx>| servers.map(|ix| ix.0.to_string()).collect::<String>();
    let unreachable: Vec<String> = target.unreachable.iter().map(ToString::to_string).collect();
    let blocked: Vec<String> = target.blocked.iter().map(ToString::to_string).collect();
    format!(
        "{} {} U[{}] B[{}] a{} v{} h{} m{}",
        verdicts.servers[3].status.as_str(),
        target.state().as_str(),
        unreachable.join(" "),
        blocked.join(" "),
        names(&mut target.accusers.iter().map(|accuser| accuser.witness)),
        names(&mut target.vouchers.iter()),
        names(&mut target.held.iter().copied()),
        names(&mut target.marks.iter().map(|mark| mark.witness)),
    )
}

/// The oracle's picture of one witness's evidence after some rounds.
#[derive(Clone, Copy)]
struct Word {
    accuses: bool,
    sees: bool,
    held: bool,
}

/// R4, R5 and R14 for one witness, from its outcomes so far. The last round is the present.
fn word(outcomes: &[usize]) -> Word {
    let now = outcomes.len();
    // The rounds that count, and the series of failures at their end; a gap of more than two rounds ends a series.
    let counted: Vec<usize> = (0..now).filter(|round| outcomes[*round] != 2).collect();
    let mut series: Vec<usize> = Vec::new();
    for round in &counted {
        if outcomes[*round] == 0 {
            series.clear();
        } else if series.last().is_some_and(|last| round - last > 2) {
            series = Vec::from([*round]);
        } else {
            series.push(*round);
        }
    }
    let Some(last) = counted.last() else { return Word { accuses: false, sees: false, held: false } };
    let age = now - 1 - last;
    let full = series.len() >= 2 && series[series.len() - 1] - series[0] >= 1;
    Word { accuses: full && age <= 1, sees: outcomes[*last] == 0 && age <= 1, held: full && age > 1 && age <= 2 }
}

/// All of the target after each of some rounds, from the rules' wording.
fn oracle(world: &World, rows: &[Row]) -> String {
    let mut stood_unreachable: Vec<String> = Vec::new();
    let mut stood_blocked: Vec<String> = Vec::new();
    let mut said = String::new();
    for present in 1..=rows.len() {
        let words: Vec<Word> =
            (0..3).map(|w| word(&rows[..present].iter().map(|row| row[w]).collect::<Vec<_>>())).collect();
        let who = |is: &dyn Fn(&Word) -> bool| (0..3).filter(|w| is(&words[*w])).collect::<Vec<usize>>();
        let (accusers, vouchers, held) = (who(&|w| w.accuses), who(&|w| w.sees), who(&|w| w.held));

        let fresh = quorate_scopes(world, &accusers, &vouchers);
        let both: Vec<usize> = (0..3).filter(|w| accusers.contains(w) || held.contains(w)).collect();
        let with_held = quorate_scopes(world, &both, &vouchers);
        let still = stood_unreachable.iter().filter(|scope| with_held.contains(scope)).cloned();
        let mut unreachable: Vec<String> =
            if fresh.is_empty() { still.collect() } else { fresh.iter().cloned().chain(still).collect() };
        unreachable.sort();
        unreachable.dedup();

        let contradicted =
            |v: usize| vouchers.iter().any(|o| *o != v && world.verifier[*o] && world.country[*o] == world.country[v]);
        let blocks = |v: &usize| {
            let stands = stood_blocked.contains(&world.country[*v].to_string());
            world.verifier[*v] && !contradicted(*v) && (words[*v].accuses || words[*v].held && stands)
        };
        let mut blocked: Vec<String> = (0..3).filter(blocks).map(|v| world.country[v].to_string()).collect();
        blocked.sort();
        blocked.dedup();

        let marks = if unreachable.is_empty() && blocked.is_empty() { accusers.clone() } else { Vec::new() };
        let (status, state) = if !unreachable.is_empty() {
            ("unreachable", "unreachable")
        } else if !blocked.is_empty() {
            ("blocked", "blocked")
        } else if !marks.is_empty() {
            ("marked", "pair_broken")
        } else {
            ("ok", "clear")
        };
        let shown: Vec<usize> = match (unreachable.is_empty(), blocked.is_empty()) {
            (false, _) => held,
            (true, false) => held.into_iter().filter(|w| world.verifier[*w]).collect(),
            (true, true) => Vec::new(),
        };
        let names = |servers: &[usize]| servers.iter().map(ToString::to_string).collect::<String>();
        said = format!(
            "{status} {state} U[{}] B[{}] a{} v{} h{} m{}",
            unreachable.join(" "),
            blocked.join(" "),
            names(&accusers),
            names(&vouchers),
            names(&shown),
            names(&marks)
        );
        (stood_unreachable, stood_blocked) = (unreachable, blocked);
    }
    said
}

/// R7, word for word.
fn quorate_scopes(world: &World, accusers: &[usize], vouchers: &[usize]) -> Vec<String> {
    let sites = |servers: &[usize], country: Option<&str>| {
        let within = servers.iter().filter(|w| country.is_none_or(|country| world.country[**w] == country));
        let mut sites: Vec<&str> = within.map(|w| world.site[*w]).collect();
        sites.sort_unstable();
        sites.dedup();
        sites
    };
    let counts = |country: Option<&str>| {
        let vouching = sites(vouchers, country);
        let against = sites(accusers, country).into_iter().filter(|site| !vouching.contains(site)).count();
        (against, vouching.len())
    };
    let mut scopes = Vec::new();
    for country in world.country {
        let (against, vouching) = counts(Some(country));
        if against >= 2 && 2 * against > against + vouching && !scopes.contains(&country.to_string()) {
            scopes.push(country.to_string());
        }
    }
    let (against, vouching) = counts(None);
    if against >= 2 && 2 * against >= against + vouching {
        scopes.push("fleet".to_string());
    }
    scopes.sort();
    scopes
}

/// Walks every history of `rounds` rounds that goes on from `rows`; returns how many were compared.
fn walk(world: &World, fleet: &Fleet, ledger: &Ledger, rows: &mut Vec<Row>, rounds: usize) -> u64 {
    if rows.len() == rounds {
        return 1;
    }
    (0..27).map(|code| step(world, fleet, ledger, rows, rounds, [code / 9, code / 3 % 3, code % 3])).sum()
}

/// Plays one more round, compares, and walks on.
fn step(world: &World, fleet: &Fleet, ledger: &Ledger, rows: &mut Vec<Row>, rounds: usize, row: Row) -> u64 {
    rows.push(row);
    let mut next = ledger.clone();
    let now = Moment::from_ms(rows.len() as u64 * 60_000);
    for report in reports(fleet, row, now) {
        next.fold(fleet, &policy(), &report);
    }
    assert_eq!(found(fleet, &mut next, now), oracle(world, rows), "after {rows:?} in\n{}", world.drawn);
    let histories = walk(world, fleet, &next, rows, rounds);
    rows.pop();
    histories
}

/// One round: the target and the witnesses see each other, and each witness has its outcome on the target.
fn reports(fleet: &Fleet, row: Row, now: Moment) -> Vec<Report> {
    let report = |witness: ServerIx| {
        let others = fleet.entry_ixs().filter(|ix| ix.0 != witness.0);
        let outcome = |ix: EntryIx| if ix.0 == 3 { OUTCOMES[row[witness.at()]] } else { REACHED };
        let outcomes = others.map(|ix| (ix, outcome(ix))).collect();
        Report { witness, observed_at: now, health: Health::Ok, outcomes, sequence: None }
    };
    fleet.server_ixs().map(report).collect()
}

fn walk_whole(world: &World, rounds: usize) -> u64 {
    let fleet = timeline::fleet(world.drawn);
    walk(world, &fleet, &Ledger::new(&fleet, Moment::ZERO), &mut Vec::new(), rounds)
}

/// Two witnesses of one country and one of another.
const PLAIN: World =
    World { drawn: "a RU\nb RU\nc DE\nt NL", country: ["RU", "RU", "DE"], site: ["a", "b", "c"], verifier: [false; 3] };

/// The third of all histories that begins with one outcome of the first witness.
fn third(first: usize) -> u64 {
    let fleet = timeline::fleet(PLAIN.drawn);
    let ledger = Ledger::new(&fleet, Moment::ZERO);
    (0..9).map(|code| step(&PLAIN, &fleet, &ledger, &mut Vec::new(), 4, [first, code / 3, code % 3])).sum()
}

// Three tests, so that they run side by side.

#[test]
fn every_history_of_four_rounds_that_begins_with_a_success_is_judged_as_the_rules_say() {
    assert_eq!(third(0), 531_441 / 3);
}

#[test]
fn every_history_of_four_rounds_that_begins_with_a_failure_is_judged_as_the_rules_say() {
    assert_eq!(third(1), 531_441 / 3);
}

#[test]
fn every_history_of_four_rounds_that_begins_with_no_evidence_is_judged_as_the_rules_say() {
    assert_eq!(third(2), 531_441 / 3);
}

#[test]
fn so_is_every_history_with_two_witnesses_of_one_site() {
    let world = World { drawn: "a RU site=s\nb RU site=s\nc DE\nt NL", site: ["s", "s", "c"], ..PLAIN };
    assert_eq!(walk_whole(&world, 3), 19_683);
}

#[test]
fn so_is_every_history_with_a_verifier() {
    let world = World { drawn: "a RU\nb RU\nc DE verifier\nt NL", verifier: [false, false, true], ..PLAIN };
    assert_eq!(walk_whole(&world, 3), 19_683);
}

#[test]
fn so_is_every_history_with_two_verifiers_of_one_country() {
    let world = World { drawn: "a RU verifier\nb RU verifier\nc DE\nt NL", verifier: [true, true, false], ..PLAIN };
    assert_eq!(walk_whole(&world, 3), 19_683);
}
