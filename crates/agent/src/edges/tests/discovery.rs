use super::stage::{Seen, Stage, at};

#[tokio::test]
async fn an_edge_that_leaves_the_set_is_left_within_two_resolutions() {
    let mut stage = Stage::new().await;
    let _edges = [stage.edge(1, 0).await, stage.edge(2, 40).await];
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
    let _edges = [stage.edge(1, 40).await, stage.edge(2, 40).await, stage.edge(3, 0).await];
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
    let (first, _second) = (stage.edge(1, 0).await, stage.edge(2, 40).await);
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
