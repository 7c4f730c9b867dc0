use super::{Untried, checked, laid_over, title};
use crate::inventory::PolicySettings;

#[test]
fn what_agents_were_told_cannot_be_tried_and_nothing_is_no_trial() {
    assert_eq!(checked(&PolicySettings::default()), Err(Untried::Nothing));
    let faster = PolicySettings { interval_ms: Some(30_000), quorum: Some(3), ..PolicySettings::default() };
    assert_eq!(checked(&faster), Err(Untried::OfAgents("interval_ms")));
    assert_eq!(checked(&PolicySettings { quorum: Some(3), ..PolicySettings::default() }), Ok(()));
}

#[test]
fn what_is_not_tried_stays_as_it_was_in_force() {
    let in_force = PolicySettings {
        quorum: Some(2),
        hold_for_ms: Some(600_000),
        interval_ms: Some(30_000),
        ..PolicySettings::default()
    };
    let tried = PolicySettings { quorum: Some(3), ..PolicySettings::default() };
    let laid = laid_over(&in_force, &tried);
    assert_eq!(laid, PolicySettings { quorum: Some(3), ..in_force });
}

#[test]
fn a_trial_is_named_by_its_numbers() {
    let one = PolicySettings { quorum: Some(3), ..PolicySettings::default() };
    assert_eq!(title(&one), "quorum 3");
    let three = PolicySettings {
        hold_for_ms: Some(300_000),
        sustain_for_ms: Some(1_500),
        witness_floor: Some(0.4),
        ..PolicySettings::default()
    };
    assert_eq!(title(&three), "hold_for 300 s, sustain_for 1500 ms and witness_floor 0.4");
}
