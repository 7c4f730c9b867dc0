//! Keyframes: the folded state and what stands, written down now and then, so that an earlier moment can be folded again
//! from close before it.
//!
//! As in a film: between two keyframes nothing happens but reports. So one is made wherever something else does: at a
//! start, after a pause of our own, when the inventory changes; and once every [`ROUNDS`] rounds, so that nobody who asks
//! has to wait long. What stands (R14) is in it, because reports alone do not tell how long ago a verdict began.

use std::io::{Read as _, Write as _};
use std::time::Duration;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use prost::Message;
use quorate_core::fleet::Fleet;
use quorate_core::ledger::{Ledger, Standing};
use quorate_core::policy::Policy;
use quorate_core::time::Moment;
use quorate_core::verdict::Scopes;

use super::checkpoint::{self, CheckpointError};
use super::start::scope;
use super::task::Task;
use crate::store::Keyframe;

/// An hour at the default interval. A pair costs 16 bytes in a keyframe and about two in each report, so this many rounds
/// make keyframes a tenth of the archive, whatever the size of the fleet.
const ROUNDS: u32 = 60;

#[derive(Clone, PartialEq, Message)]
struct State {
    #[prost(bytes = "vec", tag = "1")]
    ledger: Vec<u8>,
    #[prost(message, repeated, tag = "2")]
    standing: Vec<Stands>,
}

#[derive(Clone, PartialEq, Message)]
struct Stands {
    #[prost(string, tag = "1")]
    entry_point: String,
    #[prost(string, repeated, tag = "2")]
    unreachable: Vec<String>,
    #[prost(string, repeated, tag = "3")]
    blocked: Vec<String>,
}

/// The stored bytes are not a keyframe of this fleet.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KeyframeError {
    #[error("a keyframe cannot be unpacked: {0}")]
    Unpack(#[from] std::io::Error),
    #[error("a keyframe cannot be decoded: {0}")]
    Decode(#[from] prost::DecodeError),
    #[error(transparent)]
    Ledger(#[from] CheckpointError),
}

impl Task {
    /// Writes a keyframe; `silent_since` if we were away just before. One that the store does not take is made up for at
    /// the next evaluation.
    pub(super) async fn keyframe(&mut self, now: Moment, silent_since: Option<Moment>) {
        let state = state(&self.fleet, &self.ledger);
        // Packing a large fleet takes longer than a report may wait for its turn on this thread.
        let packed = match tokio::task::spawn_blocking(move || packed(&state)).await {
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

/// The keyframes of this run.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Framed {
    /// When the next one is due.
    due: Moment,
    /// The last report in the last one.
    through: u64,
    /// An absence that no keyframe tells of yet.
    owed: Option<Moment>,
}

fn period(policy: &Policy) -> Duration {
    policy.interval * ROUNDS
}

fn state(fleet: &Fleet, ledger: &Ledger) -> State {
    let words = |scopes: &Scopes| scopes.iter().map(ToString::to_string).collect();
    let standing = fleet.entry_ixs().filter(|ix| !ledger.standing(*ix).is_empty()).map(|ix| {
        let Standing { unreachable, blocked } = ledger.standing(ix);
        let entry_point = fleet.entry_point(ix).id.clone();
        Stands { entry_point, unreachable: words(unreachable), blocked: words(blocked) }
    });
    State { ledger: checkpoint::encode(fleet, ledger), standing: standing.collect() }
}

fn packed(state: &State) -> std::io::Result<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&state.encode_to_vec())?;
    encoder.finish()
}

/// The ledger of a keyframe over the fleet of its inventory.
pub(crate) fn decode(keyframe: &Keyframe, fleet: &Fleet) -> Result<Ledger, KeyframeError> {
    let mut bytes = Vec::new();
    DeflateDecoder::new(keyframe.state.as_slice()).read_to_end(&mut bytes)?;
    let state = State::decode(bytes.as_slice())?;
    let mut ledger = checkpoint::decode(&state.ledger, fleet, keyframe.at)?;
    let scopes = |words: &[String]| -> Scopes { words.iter().filter_map(|word| scope(word)).collect() };
    for stands in &state.standing {
        if let Some(ix) = fleet.find_entry_point(&stands.entry_point) {
            let standing = Standing { unreachable: scopes(&stands.unreachable), blocked: scopes(&stands.blocked) };
            ledger.restore_standing(ix, standing);
        }
    }
    ledger.resume(keyframe.started_at);
    Ok(ledger)
}
