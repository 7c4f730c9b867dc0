//! What the mesh looks like as a whole: islands and captions of a snapshot, made for the first who asks and kept with it.
//!
//! No verdict hangs on them and few readers want them, so the engine's task does not make them; over a mesh of 1,000 servers
//! that is torn in two they take some 100 ms.

use std::sync::{Arc, OnceLock};

use quorate_core::fleet::ServerIx;
use quorate_core::{islands, pattern};

use super::Snapshot;

/// Islands and captions, once they were asked for.
#[derive(Debug, Default)]
pub struct Pattern {
    islands: OnceLock<Vec<Vec<ServerIx>>>,
    captions: OnceLock<Vec<pattern::Caption>>,
}

impl Snapshot {
    /// Groups of servers that see each other, and nobody of another group; none, or at least two.
    pub async fn islands(self: &Arc<Self>) -> &[Vec<ServerIx>] {
        if self.pattern.islands.get().is_none() {
            self.apart(|snapshot| {
                snapshot.pattern.islands.get_or_init(|| islands::islands(&snapshot.fleet, &snapshot.verdicts));
            })
            .await;
        }
        self.pattern.islands.get().map_or(&[], Vec::as_slice)
    }

    /// What the matrix shows, in words.
    pub async fn captions(self: &Arc<Self>) -> &[pattern::Caption] {
        if self.pattern.captions.get().is_none() {
            self.apart(|snapshot| {
                snapshot.pattern.captions.get_or_init(|| pattern::captions(&snapshot.fleet, &snapshot.verdicts));
            })
            .await;
        }
        self.pattern.captions.get().map_or(&[], Vec::as_slice)
    }

    /// Away from the threads that answer others.
    async fn apart(self: &Arc<Self>, make: impl FnOnce(&Self) + Send + 'static) {
        let snapshot = self.clone();
        let ended = tokio::task::spawn_blocking(move || make(&snapshot)).await;
        // It can only end early with the process, and then nobody waits for an answer.
        if let Err(error) = ended {
            tracing::error!("islands and captions could not be made: {error}");
        }
    }
}
