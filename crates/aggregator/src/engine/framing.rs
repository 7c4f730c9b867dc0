//! When a keyframe is made: wherever something happens that is no report (a start, a pause of our own, a change of the
//! inventory), and once every [`ROUNDS`] rounds, so that nobody who asks for an earlier moment has to wait long.

use std::time::Duration;

use quorate_core::policy::Policy;
use quorate_core::time::Moment;
use tokio::task::JoinError;

use super::keyframe::{State, packed, state};
use super::task::{Framed, Task};
use crate::store::Keyframe;

/// An hour at the default interval. A pair costs 16 bytes in a keyframe and about two in each report, so this many rounds
/// make keyframes a tenth of the archive, whatever the size of the fleet.
const ROUNDS: u32 = 60;

impl Task {
    /// Writes a keyframe; `silent_since` if we were away just before. One that the store does not take is made up for at
    /// the next evaluation.
    pub(super) async fn keyframe(&mut self, now: Moment, silent_since: Option<Moment>) {
        let state = state(&self.fleet, &self.ledger);
        let packed = match pack(state).await {
            Ok(Ok(packed)) => packed,
            Ok(Err(error)) => return tracing::error!("a keyframe cannot be packed: {error}"),
            Err(error) => return tracing::error!("a keyframe was not packed: {error}"),
        };
        let keyframe = Keyframe {
            at: now,
            through: self.through,
            inventory_version: self.inventory_version,
            started_at: self.ledger.evaluation_started_at(),
            silent_since,
            state: packed,
        };
        self.framed = match self.store.save_keyframe(&keyframe).await {
            Ok(()) => Framed { due: now.after(period(&self.policy)), through: self.through, owed: None },
            Err(error) => {
                tracing::warn!("a keyframe waits for the database: {error}");
                Framed { due: now, through: self.framed.through, owed: silent_since.or(self.framed.owed) }
            }
        };
    }

    /// Writes the regular keyframe when it is due and there is anything new.
    pub(super) async fn keyframe_if_due(&mut self, now: Moment) {
        let is_new = self.through > self.framed.through || self.framed.owed.is_some();
        if now >= self.framed.due && is_new {
            self.keyframe(now, self.framed.owed).await;
        }
    }
}

/// Packing a large fleet takes longer than a report may wait for its turn on this thread.
async fn pack(state: State) -> Result<std::io::Result<Vec<u8>>, JoinError> {
    #[cfg(feature = "simulation")]
    if crate::clock::simulated::wall().is_some() {
        return Ok(packed(&state));
    }
    tokio::task::spawn_blocking(move || packed(&state)).await
}

fn period(policy: &Policy) -> Duration {
    policy.interval * ROUNDS
}
