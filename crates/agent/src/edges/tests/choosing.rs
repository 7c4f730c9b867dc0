use super::stage::{Seen, Stage, at};

/// Goodbyes, in order.
fn goodbyes(seen: &[Seen]) -> Vec<&str> {
    let mut reasons = Vec::new();
    for seen in seen {
        if let Seen::Goodbye(reason) = seen {
            reasons.push(reason.as_str());
        }
    }
    reasons
}

#[tokio::test]
async fn the_best_edge_is_found_and_kept_over_a_restart() {
    let mut stage = Stage::new().await;
    let _edges = [stage.edge(1, 150).await, stage.edge(2, 0).await, stage.edge(3, 300).await];
    stage.dns(&[1, 2, 3]);
    let agent = stage.agent();
    let seen = stage.session_by(0, 2).await;
    // As any client to begin with; then by one planned move.
    assert_eq!(seen[0], Seen::Opened(at(1)));
    assert_eq!(goodbyes(&seen), ["edge_better"]);
    agent.stop().await;

    let before = stage.seen().len();
    let agent = stage.agent();
    let seen = stage.session_by(before, 2).await;
    assert_eq!(seen[0], Seen::Opened(at(2)));
    agent.stop().await;
    stage.none_is_lost();
}

#[tokio::test]
async fn an_edge_that_is_back_is_gone_back_to_after_two_good_rounds() {
    let mut stage = Stage::new().await;
    let (best, _other) = (stage.edge(1, 0).await, stage.edge(2, 150).await);
    stage.dns(&[1, 2]);
    let agent = stage.agent();
    stage.session_by(0, 1).await;
    // Measured once: known to be the best.
    stage.measured(2).await;
    drop(best);
    stage.session_by(0, 2).await;

    let (before, accepted) = (stage.seen().len(), stage.probes());
    let best = stage.edge(1, 0).await;
    let seen = stage.session_by(before, 1).await;
    assert_eq!(goodbyes(&seen), ["edge_return"]);
    // A round tries both edges; the first may have begun before this one was back.
    assert!(stage.probes() >= accepted + 3, "two good rounds");
    drop(best);
    agent.stop().await;
    stage.none_is_lost();
}

#[tokio::test]
async fn one_address_is_left_alone() {
    let mut stage = Stage::new().await;
    let _edge = stage.edge(1, 0).await;
    stage.dns(&[1]);
    let agent = stage.agent();
    stage.session_by(0, 1).await;
    stage.resolutions(20).await;
    assert_eq!(stage.probes(), 0);
    agent.stop().await;
}
