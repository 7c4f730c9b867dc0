//! An evaluator that keeps its tallies answers as a fresh one would. [`World::evaluate`] compares at every step.

use crate::tests::timeline::{World, named};
use crate::time::Moment;

#[test]
fn an_evaluation_without_news_says_the_same_again() {
    // v1 accused while v2 of the same country vouched. When v1 has no new evidence v2 accuses too: RU stands from then on,
    // and v1's earlier word holds it at once, not only at the next evaluation.
    let mut world = World::new("t NL\nv1 RU verifier\nv2 RU verifier\nc DE");
    world.play(
        "v1>t . x x x x ? ? ? ? ? ?
         v2>t . . . . . . . . x x x",
    );
    let blocked_by = |world: &World| named(&world.fleet, world.on_entry("t/tls").blocked_by.iter().copied());
    assert_eq!(blocked_by(&world), "v1 v2");
    world.evaluate(661_000);
    assert_eq!(blocked_by(&world), "v1 v2");
}

#[test]
fn a_clock_that_is_set_back_is_followed() {
    let mut world = World::new("a NL\nb DE\nc FI");
    world.play("a>b . x x x x ? ?");
    world.evaluate(480_001);
    assert_eq!(world.on_entry("b/tls").accusers.len(), 0);
    world.evaluate(480_000);
    assert_eq!(world.on_entry("b/tls").accusers.len(), 1);
}

#[test]
fn nothing_changes_before_the_next_change_is_due() {
    let mut world = World::new("a NL\nb DE\nc FI\nd PL");
    world.play("a>b . x x x x\nc>b . x x x x\na . . . . .");
    let mut now = world.evaluator.verdicts().at;
    for _ in 0..8 {
        let due = world.evaluator.next_change(&world.policy, &world.ledger);
        assert!(due > now, "it lies ahead");
        if due == Moment::MAX {
            return;
        }
        let before = world.evaluator.verdicts().clone();
        let just_before = world.evaluate(due.as_ms() - 1);
        assert_eq!((&just_before.entry_points, &just_before.cuts), (&before.entry_points, &before.cuts));
        let words = |verdicts: &crate::verdict::Verdicts| {
            verdicts.servers.iter().map(|server| server.status).collect::<alloc::vec::Vec<_>>()
        };
        assert_eq!(words(just_before), words(&before));
        world.evaluate(due.as_ms());
        now = due;
    }
    panic!("eight moments are enough for all evidence of one round to lapse");
}

#[test]
fn an_evaluation_tells_whether_anything_differs() {
    let mut world = World::new("a NL\nb DE\nc FI");
    world.play("a . .");
    let World { fleet, policy, ledger, evaluator, .. } = &mut world;
    assert!(!evaluator.evaluate(fleet, policy, ledger, Moment::from_ms(130_000)), "nothing happened");
    world.report(140_000, "a", "b . c .");
    let World { fleet, policy, ledger, evaluator, .. } = &mut world;
    assert!(!evaluator.evaluate(fleet, policy, ledger, Moment::from_ms(140_000)), "one more success");
    assert_eq!(evaluator.verdicts().servers[0].last_report_at, Some(Moment::from_ms(140_000)));
    world.report(150_000, "a", "b . c ?");
    let World { fleet, policy, ledger, evaluator, .. } = &mut world;
    assert!(!evaluator.evaluate(fleet, policy, ledger, Moment::from_ms(150_000)), "no failure, and it saw one of one");
    assert!(evaluator.evaluate(fleet, policy, ledger, Moment::from_ms(301_000)), "b and c fell silent");
}
