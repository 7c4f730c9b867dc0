#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use alloc::{format, vec};
use core::net::SocketAddr;
use core::time::Duration;

use super::{AddressState, Answer, Change, EdgeWatch, Knock, Round, Trouble, UNUSED_AFTER};
use crate::outcome::{FailureKind, Reason};
use crate::time::Moment;

const EVERY: Duration = Duration::from_secs(30);
const FRA: &str = "192.0.2.1:8443";
const AMS: &str = "192.0.2.2:8443";
const STRANGER: &str = "198.51.100.9:8443";

/// A street with the edges fra and ams, of which the test says what is seen, round after round.
struct Street {
    watch: EdgeWatch,
    now: Moment,
    round: Round,
    answer: Answer,
    /// `‹round› + word subject` for what was raised, `-` for what was healed.
    told: Vec<String>,
    rounds: usize,
}

impl Street {
    /// Both are in DNS, well, and used.
    fn new() -> Self {
        let round = Round {
            gateway: "watch.example.org".to_string(),
            declared: ["fra", "ams"].map(Arc::from).into(),
            sitting: vec![("nl-1".into(), Some("fra".into())), ("de-1".into(), Some("ams".into()))],
            ..Round::default()
        };
        let answer = addresses(&[FRA, AMS]);
        let now = Moment::from_ms(1_000_000);
        Self { watch: EdgeWatch::default(), now, round, answer, told: Vec::new(), rounds: 0 }
    }

    fn round(&mut self, knock_on_fra: char) {
        self.rounds += 1;
        self.now = self.now.after(EVERY);
        self.watch.handle_answer(self.answer.clone());
        let addresses: Vec<SocketAddr> = self.watch.addresses().map(|(at, _)| at).collect();
        self.round.knocks = addresses
            .into_iter()
            .map(|at| (at, edge_of(at), knock(if at == addr(FRA) { knock_on_fra } else { '.' })))
            .collect();
        for change in self.watch.handle_round(&self.round, self.now) {
            let (sign, alert) = match &change {
                Change::Raised(alert) => ('+', alert),
                Change::Healed(alert) => ('-', alert),
            };
            self.told.push(format!("{}{sign}{} {}", self.rounds, alert.trouble.as_str(), alert.subject()));
        }
    }

    /// A round for each letter: how the knock on fra ends.
    fn knocks(mut self, letters: &str) -> Self {
        letters.chars().for_each(|letter| self.round(letter));
        self
    }

    fn rounds(&mut self, count: usize) {
        (0..count).for_each(|_| self.round('.'));
    }

    fn state_of_fra(&self) -> AddressState {
        self.watch.addresses().find(|(at, _)| *at == addr(FRA)).unwrap().1.state
    }

    fn fact(&self) -> &str {
        &self.watch.alerts()[0].fact
    }
}

fn addr(text: &str) -> SocketAddr {
    text.parse().unwrap()
}

fn addresses(all: &[&str]) -> Answer {
    Answer::Addresses(all.iter().map(|text| addr(text)).collect())
}

fn edge_of(at: SocketAddr) -> Option<Arc<str>> {
    [(FRA, "fra"), (AMS, "ams")].into_iter().find(|(text, _)| addr(text) == at).map(|(_, id)| id.into())
}

/// `.` through, `x` unreachable, `n` nobody behind it, `f` foreign, `?` could not knock.
fn knock(letter: char) -> Knock {
    let (connect, handshake) = (Duration::from_millis(9), Duration::from_millis(40));
    match letter {
        '.' => Knock::Through { connect, handshake },
        'x' => Knock::Unreachable(FailureKind::ConnectionRefused),
        'n' => Knock::Nobody { connect, kind: FailureKind::Timeout },
        'f' => Knock::Foreign { connect, kind: FailureKind::InvalidCertificate },
        '?' => Knock::Untold(Reason::NoRoute),
        other => panic!("{other}"),
    }
}

#[test]
fn two_failed_knocks_mean_nothing_and_three_in_a_row_are_told() {
    assert_eq!(Street::new().knocks(".xx.xx.xx.").told, [""; 0]);
    assert_eq!(Street::new().knocks(".xxx").told, ["4+unreachable fra"]);
    assert_eq!(Street::new().knocks(".nnn").told, ["4+forwards_nothing fra"]);
    assert_eq!(Street::new().knocks(".fff").told, ["4+foreign fra"]);
}

#[test]
fn two_good_knocks_in_a_row_end_it_and_one_does_not() {
    assert_eq!(Street::new().knocks("nnn.n.nn.").told, ["3+forwards_nothing fra"]);
    assert_eq!(Street::new().knocks("nnn..").told, ["3+forwards_nothing fra", "5-forwards_nothing fra"]);
}

#[test]
fn what_stands_stands_since_the_first_knock_that_failed() {
    let street = Street::new().knocks("..xxx");
    assert_eq!(street.watch.alerts()[0].since, street.now.before(EVERY * 2));
}

#[test]
fn failures_of_several_kinds_are_failures_and_the_newest_kind_is_told() {
    assert_eq!(Street::new().knocks(".xnn").told, ["4+forwards_nothing fra"]);
    let changed = Street::new().knocks("xxxnnxnnn");
    assert_eq!(changed.told, ["3+unreachable fra", "9-unreachable fra", "9+forwards_nothing fra"]);
}

#[test]
fn what_this_machine_could_not_try_counts_for_nobody() {
    assert_eq!(Street::new().knocks("xx????x").told, ["7+unreachable fra"]);
    assert_eq!(Street::new().knocks("xxx.?.").told, ["3+unreachable fra", "6-unreachable fra"]);
    let never = Street::new().knocks("????");
    assert_eq!((never.told.len(), never.state_of_fra()), (0, AddressState::Unknown));
}

#[test]
fn an_edge_that_agents_come_through_is_not_blamed_for_our_own_way_to_it() {
    let street = Street::new().knocks("xxx");
    assert!(street.fact().contains("though an agent comes through it"), "{}", street.fact());
    let mut empty = Street::new();
    empty.round.sitting.clear();
    let empty = empty.knocks("xxx");
    assert!(empty.fact().starts_with("Edge fra (192.0.2.1:8443) is in DNS and cannot be reached"), "{}", empty.fact());
}

#[test]
fn a_resolver_that_fails_keeps_the_last_set_and_is_told_after_three() {
    for silent in [Answer::Nothing, Answer::Itself] {
        let mut street = Street::new().knocks("..");
        street.answer = silent;
        street.rounds(2);
        assert_eq!(street.told, [""; 0]);
        street.rounds(4);
        assert_eq!(street.told, ["5+unresolved gateway"]);
        assert_eq!(street.watch.addresses().count(), 2);
        street.answer = addresses(&[FRA, AMS]);
        street.rounds(2);
        assert_eq!(street.told[1..], ["10-unresolved gateway"]);
    }
}

#[test]
fn an_address_out_of_two_answers_in_a_row_is_out_and_so_is_what_was_told_of_it() {
    let mut street = Street::new().knocks("xxx");
    street.answer = addresses(&[AMS]);
    street.round('x');
    street.answer = addresses(&[FRA, AMS]);
    street.round('x');
    assert_eq!(street.told, ["3+unreachable fra"], "one answer without it is a glitch");
    street.answer = addresses(&[AMS]);
    street.round('x');
    street.round('x');
    assert_eq!(street.told[1..], ["7-unreachable fra"]);
    assert_eq!(street.watch.addresses().count(), 1);
}

#[test]
fn an_edge_that_is_not_in_dns_is_told_and_one_removed_from_the_inventory_is_forgotten() {
    let mut street = Street::new();
    street.answer = addresses(&[AMS]);
    street.rounds(4);
    assert_eq!(street.told, ["3+not_in_dns fra"]);
    street.answer = Answer::Nothing;
    street.rounds(2);
    assert_eq!(street.told.len(), 1, "a resolver that fails takes nothing back");
    street.answer = addresses(&[AMS]);
    street.round.declared = BTreeSet::from(["ams".into()]);
    street.rounds(2);
    assert_eq!(street.told[1..], ["8-not_in_dns fra"]);
}

#[test]
fn an_address_that_no_edge_has_is_told_with_both_ways_out() {
    let mut street = Street::new();
    street.answer = addresses(&[FRA, AMS, STRANGER]);
    street.rounds(3);
    assert_eq!(street.told, [format!("3+unlisted {STRANGER}")]);
    let advice = &street.watch.alerts()[0].advice;
    assert!(advice.contains("edge add ID --network 198.51.100.9") && advice.contains("take it out of DNS"), "{advice}");
    street.answer = addresses(&[FRA, AMS]);
    street.rounds(4);
    assert_eq!(street.told.len(), 2);
}

#[test]
fn an_edge_that_nobody_uses_is_told_after_twelve_hours_if_others_are_used() {
    let rounds = |span: Duration| usize::try_from(span.as_millis() / EVERY.as_millis()).unwrap();
    let mut street = Street::new();
    street.round.sitting = vec![("nl-1".into(), Some("fra".into()))];
    // Heard of in the first round, so twelve hours are over one round later, and three must see it.
    street.rounds(rounds(UNUSED_AFTER) + 2);
    assert_eq!(street.told, [""; 0]);
    street.round('.');
    assert_eq!(street.told, [format!("{}+unused ams", rounds(UNUSED_AFTER) + 3)]);
    street.round.came = BTreeSet::from(["ams".into()]);
    street.rounds(2);
    assert_eq!(street.told.len(), 2, "an agent that measured it came through it: {:?}", street.told);

    let mut idle = Street::new();
    idle.round.sitting.clear();
    idle.rounds(rounds(UNUSED_AFTER) + 4);
    assert_eq!(idle.told, [""; 0], "where no agent sits on any edge, none is worse than another");
}

#[test]
fn agents_past_the_edges_are_one_alert_and_each_new_one_is_told() {
    let mut street = Street::new();
    street.round.sitting.push(("fr-1".into(), None));
    street.rounds(3);
    street.round.sitting.push(("it-1".into(), None));
    street.rounds(3);
    assert_eq!(street.told, ["3+past_the_edges gateway", "6+past_the_edges gateway"]);
    assert!(street.fact().starts_with("fr-1 and it-1 come to the gateway past the edges"), "{}", street.fact());
    street.round.sitting.pop();
    street.rounds(3);
    assert_eq!(street.told.len(), 2, "one less is no news: {:?}", street.told);
    street.round.sitting[2].1 = Some("ams".into());
    street.rounds(2);
    assert_eq!(street.told[2..], ["11-past_the_edges gateway"]);
}

#[test]
fn a_reconnect_past_the_edges_is_told_once() {
    let mut street = Street::new();
    street.round.sitting.push(("fr-1".into(), None));
    street.rounds(3);
    let gone = street.round.sitting.pop().unwrap();
    street.round('.');
    street.round.sitting.push(gone);
    street.rounds(3);
    assert_eq!(street.told, ["3+past_the_edges gateway"]);
}

#[test]
fn a_restart_tells_nothing_twice_and_heals_what_stood_before() {
    let mut before = Street::new();
    before.answer = addresses(&[FRA]);
    before.round.sitting.push(("fr-1".into(), None));
    let before = before.knocks("nnn");
    assert_eq!(before.told.len(), 3);

    let mut after = Street { watch: EdgeWatch::resume(before.watch.standing()), told: Vec::new(), rounds: 0, ..before };
    after.round('n');
    assert_eq!(after.told, [""; 0]);
    after.answer = addresses(&[FRA, AMS]);
    after.round.sitting.pop();
    after.rounds(2);
    assert_eq!(after.told, ["3-forwards_nothing fra", "3-not_in_dns ams", "3-past_the_edges gateway"]);
}

#[test]
fn without_declared_edges_all_is_silent_and_what_stood_is_over() {
    let mut street = Street::new().knocks("xxx");
    assert_eq!(street.watch.handle_no_edges().len(), 1);
    assert_eq!((street.watch.alerts().len(), street.watch.addresses().count(), street.watch.answer()), (0, 0, None));
    assert_eq!(street.watch.handle_no_edges(), []);
}

#[test]
fn where_agents_dial_an_address_dns_is_not_missed() {
    let mut street = Street::new();
    street.answer = Answer::NoName;
    street.rounds(5);
    assert_eq!(street.told, [""; 0]);
}

#[test]
fn every_trouble_has_its_own_word() {
    let words: BTreeSet<&str> = Trouble::ALL.iter().map(|trouble| trouble.as_str()).collect();
    assert_eq!(words.len(), Trouble::ALL.len());
}
