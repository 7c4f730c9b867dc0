//! The fuzz targets' checks on their corpora and on what comes of breaking them: a bounded run, the same each time.

#[path = "../../../fuzz/checks/agent_toml.rs"]
mod agent_toml;
#[path = "../../../fuzz/checks/plan.rs"]
mod plan;
#[path = "../../../fuzz/replay.rs"]
mod replay;

use crate::replay::Corpus;

#[test]
fn whatever_the_aggregator_sends_is_taken_within_the_limits_or_refused() {
    use plan::Answer::{BeyondLimits, OtherKind, Refused, Taken, Unreadable};
    assert_eq!(
        Corpus::of("plan").answers(5_000, plan::holds),
        [Unreadable, OtherKind, Refused, BeyondLimits, Taken].into()
    );
}

#[test]
fn whatever_stands_in_an_agents_file_is_taken_or_told_with_its_place() {
    use agent_toml::Answer::{Faulty, NoText, Taken};
    assert_eq!(Corpus::of("agent_toml").answers(3_000, agent_toml::holds), [NoText, Faulty, Taken].into());
}
