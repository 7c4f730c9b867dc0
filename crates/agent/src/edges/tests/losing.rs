use std::time::Duration;

use super::stage::{Seen, Stage};
use crate::clock::Stopwatch;
use crate::edges::testbed::Manner;
use crate::session::testbed::Running;

/// An agent that has measured its edges and sits on the first of three.
async fn settled(stage: &mut Stage) -> (Vec<crate::edges::testbed::TestEdge>, Running) {
    let edges = vec![stage.edge(1, 0).await, stage.edge(2, 150).await, stage.edge(3, 300).await];
    stage.dns(&[1, 2, 3]);
    let agent = stage.agent();
    stage.session_by(0, 1).await;
    stage.measured(3).await;
    (edges, agent)
}

#[tokio::test]
async fn a_killed_edge_costs_less_than_three_seconds() {
    let mut stage = Stage::new().await;
    let (mut edges, agent) = settled(&mut stage).await;
    let (before, watch) = (stage.seen().len(), Stopwatch::start());
    drop(edges.remove(0));
    stage.session_by(before, 2).await;
    assert!(watch.elapsed() < Duration::from_secs(3), "{:?}", watch.elapsed());
    agent.stop().await;
    stage.none_is_lost();
}

#[tokio::test]
async fn an_edge_that_freezes_under_a_session_costs_less_than_thirty() {
    let mut stage = Stage::new().await;
    let (edges, agent) = settled(&mut stage).await;
    let (before, watch) = (stage.seen().len(), Stopwatch::start());
    edges[0].turn(Manner::Frozen);
    stage.session_by(before, 2).await;
    assert!(watch.elapsed() < Duration::from_secs(30), "{:?}", watch.elapsed());
    agent.stop().await;
    stage.none_is_lost();
}

#[tokio::test]
async fn a_restart_on_edges_that_are_dead_each_in_its_own_way_costs_their_staggers() {
    for manner in [Manner::Frozen, Manner::Mute] {
        let mut stage = Stage::new().await;
        let (mut edges, agent) = settled(&mut stage).await;
        agent.stop().await;
        edges[0].turn(manner);
        drop(edges.remove(1));
        let (before, watch) = (stage.seen().len(), Stopwatch::start());
        let agent = stage.agent();
        let seen = stage.session_by(before, 3).await;
        assert!(watch.elapsed() < Duration::from_secs(3), "{:?}", watch.elapsed());
        let opened = seen.iter().filter(|seen| matches!(seen, Seen::Opened(_))).count();
        assert_eq!(opened, 1, "{seen:?}");
        agent.stop().await;
        stage.none_is_lost();
    }
}

#[tokio::test]
async fn without_a_ranking_an_edge_with_nothing_behind_it_is_passed_over() {
    let mut stage = Stage::new().await;
    let (dead, _other) = (stage.edge(1, 0).await, stage.edge(2, 0).await);
    dead.turn(Manner::Shut);
    stage.dns(&[1, 2]);
    let agent = stage.agent();
    stage.session_by(0, 2).await;
    agent.stop().await;
    stage.none_is_lost();
}
