//! The fuzz targets' checks on their corpora and on what comes of breaking them: a bounded run, the same each time.

#[path = "../../../fuzz/checks/enrolment.rs"]
mod enrolment;
#[path = "../../../fuzz/checks/fleet_toml.rs"]
mod fleet_toml;
#[path = "../../../fuzz/replay.rs"]
mod replay;
#[path = "../../../fuzz/checks/report.rs"]
mod report;
#[path = "../../../fuzz/checks/trace.rs"]
mod trace;

use crate::replay::Corpus;

#[test]
fn whatever_agents_send_is_folded_or_refused() {
    let corpus = Corpus::of("report");
    let (mut rounds, mut failures, mut flaws) = (0, 0, 0);
    let mut check = |bytes: &[u8]| {
        for taken in report::holds(bytes) {
            rounds += usize::from(taken.is_round);
            failures += report::failures(&taken);
            flaws += usize::from(taken.flaw.is_some());
        }
    };
    corpus.replay(|_, bytes| check(bytes));
    corpus.replay_broken(3_000, |_, _| {}, &mut check);
    assert!(rounds > 500 && failures > 500 && flaws > 500, "{rounds} rounds, {failures} failures, {flaws} flaws");
}

#[test]
fn whoever_asks_to_be_enrolled_is_looked_up_or_refused() {
    use enrolment::{Answer, Refused};
    let all = [Answer::Unreadable, Answer::NoToken, Answer::Taken]
        .into_iter()
        .chain([Refused::Unreadable, Refused::NotSigned, Refused::OtherKey].map(Answer::Key));
    assert_eq!(Corpus::of("enrolment").answers(3_000, enrolment::holds), all.collect());
}

#[test]
fn whatever_stands_in_a_fleet_file_is_taken_or_refused_with_its_place() {
    use fleet_toml::Answer::{NoText, RefusedAtLine, Taken};
    let met = Corpus::of("fleet_toml").answers(3_000, fleet_toml::holds);
    assert_eq!(met, [NoText, RefusedAtLine, Taken].into());
}

#[test]
fn whatever_stands_in_a_trace_is_replayed_or_refused() {
    use trace::Answer::{NoFleet, NoText, Refused, Taken};
    let met = Corpus::of("trace").answers(3_000, trace::holds);
    assert_eq!(met, [NoText, NoFleet, Refused, Taken { evaluated: false }, Taken { evaluated: true }].into());
}
