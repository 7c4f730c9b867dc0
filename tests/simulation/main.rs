//! The real outbox, session, store and engine under simulated time, while everything that can go wrong does: no report is
//! lost or folded twice, and a restart changes no verdict.
#![allow(clippy::print_stderr, reason = "tests tell what they do on standard error")]

mod aggregator;
mod invariant;
mod letter;
mod network;
mod operation;
mod panics;
mod pinned;
mod seed;
mod server;
mod twin;
mod weather;
mod world;

use std::time::Duration;

use operation::Operation;
use world::World;

/// Runs the operations and then lets everything heal. The error tells what does not hold, and after which of them.
fn run(operations: &[Operation]) -> Result<Summary, String> {
    let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let threads = threads.map_err(|error| error.to_string())?;
    let simulated = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    let simulated = simulated.map_err(|error| error.to_string())?;
    panics::forget();
    let ran = simulated.block_on(async {
        let mut world = World::begin(threads.handle().clone()).await?;
        for (at, operation) in operations.iter().enumerate() {
            world.apply(*operation).await.map_err(|wrong| format!("after operation {at}, {operation:?}: {wrong}"))?;
        }
        world.heal().await.map_err(|wrong| format!("while it heals: {wrong}"))?;
        let mut settled = invariant::quiet(&world).await;
        for _ in 0..3 {
            // A report may be on its way at any moment.
            if settled.is_err() {
                world.pass(Duration::from_secs(1)).await;
                settled = invariant::quiet(&world).await;
            }
        }
        settled.map_err(|wrong| format!("when all is quiet: {wrong}"))?;
        world.summary().await
    });
    match panics::seen() {
        Some(panic) => Err(format!("something panicked: {panic}")),
        None => ran,
    }
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Snapshots that were compared with the twin.
    compared: u64,
    /// Reports in the store.
    stored: u64,
    /// A hash of all that was stored and told.
    history: u64,
}
