use std::time::Duration;

use super::stage::{Seen, Stage, at};
use crate::clock::Stopwatch;

#[tokio::test]
async fn an_edge_that_leaves_the_set_is_left_by_a_planned_move() {
    let mut stage = Stage::new().await;
    let _edges = [stage.edge(1, 0).await, stage.edge(2, 150).await];
    stage.dns(&[1, 2]);
    let agent = stage.agent();
    stage.session_by(0, 1).await;
    let before = stage.seen().len();
    stage.dns(&[2]);
    let seen = stage.session_by(before, 2).await;
    assert!(seen.contains(&Seen::Goodbye("edge_removed".to_owned())), "{seen:?}");
    agent.stop().await;
    stage.none_is_lost();
}

#[tokio::test]
async fn an_edge_that_joins_the_set_is_measured_and_taken_if_it_is_better() {
    let mut stage = Stage::new().await;
    let _edges = [stage.edge(1, 150).await, stage.edge(2, 150).await, stage.edge(3, 0).await];
    stage.dns(&[1, 2]);
    let agent = stage.agent();
    stage.session_by(0, 1).await;
    stage.measured(2).await;
    let before = stage.seen().len();
    stage.dns(&[1, 2, 3]);
    let seen = stage.session_by(before, 3).await;
    assert!(seen.contains(&Seen::Goodbye("edge_better".to_owned())), "{seen:?}");
    agent.stop().await;
    stage.none_is_lost();
}

#[tokio::test]
async fn a_set_that_is_empty_and_a_resolver_that_fails_change_nothing() {
    let mut stage = Stage::new().await;
    let (first, _second) = (stage.edge(1, 0).await, stage.edge(2, 150).await);
    stage.dns(&[1, 2]);
    let agent = stage.agent();
    stage.session_by(0, 1).await;
    stage.measured(2).await;
    let before = stage.seen().len();
    stage.dns(&[]);
    stage.resolutions(5).await;
    stage.dns_fails();
    stage.resolutions(5).await;
    assert!(stage.seen()[before..].iter().all(|seen| matches!(seen, Seen::Report(_))));
    // And who has to go on meanwhile knows where to.
    drop(first);
    stage.session_by(before, 2).await;
    agent.stop().await;

    // A restart too.
    let before = stage.seen().len();
    let agent = stage.agent();
    let seen = stage.session_by(before, 2).await;
    assert_eq!(seen[0], Seen::Opened(at(2)));
    agent.stop().await;
    stage.none_is_lost();
}

#[tokio::test]
async fn an_agent_that_starts_before_its_resolver_comes_up_with_it() {
    let mut stage = Stage::new().await;
    let _edge = stage.edge(1, 0).await;
    stage.dns_fails();
    let agent = stage.agent();
    stage.resolutions(1).await;
    stage.dns(&[]);
    stage.resolutions(1).await;
    assert_eq!(stage.seen(), []);
    stage.dns(&[1]);
    stage.session_by(0, 1).await;
    agent.stop().await;
}

#[tokio::test]
async fn a_resolver_that_hangs_does_not_hold_up_an_agent_that_knows_its_edges() {
    let mut stage = Stage::new().await;
    let _edges = [stage.edge(1, 0).await, stage.edge(2, 150).await];
    stage.dns(&[1, 2]);
    let agent = stage.agent();
    stage.session_by(0, 1).await;
    stage.measured(2).await;
    agent.stop().await;

    stage.dns_is_late(&[1, 2], Duration::from_mins(1));
    let (before, watch) = (stage.seen().len(), Stopwatch::start());
    let agent = stage.agent();
    stage.session_by(before, 1).await;
    assert!(watch.elapsed() < Duration::from_secs(3), "{:?}", watch.elapsed());
    agent.stop().await;
}

#[tokio::test]
async fn an_answer_that_comes_late_is_used_when_all_known_edges_are_gone() {
    let mut stage = Stage::new().await;
    let edges = [stage.edge(1, 0).await, stage.edge(2, 150).await];
    stage.dns(&[1, 2]);
    let agent = stage.agent();
    stage.session_by(0, 1).await;
    stage.measured(2).await;
    agent.stop().await;

    drop(edges);
    let _other = stage.edge(3, 0).await;
    stage.dns_is_late(&[3], Duration::from_secs(2));
    let before = stage.seen().len();
    let agent = stage.agent();
    stage.session_by(before, 3).await;
    agent.stop().await;
    stage.none_is_lost();
}
