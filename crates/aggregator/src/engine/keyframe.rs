//! Keyframes: the folded state and what stands, written down now and then, so that an earlier moment can be folded again
//! from close before it.
//!
//! As in a film: between two keyframes nothing happens but reports; [`super::framing`] says when one is made. What stands
//! (R14) is in it, because reports alone do not tell how long ago a verdict began.

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use prost::Message;
use quorate_core::fleet::Fleet;
use quorate_core::ledger::{Ledger, Standing};

use super::checkpoint::{self, CheckpointError};
use super::standing::{restore, standing, words};
use crate::store::Keyframe;

#[derive(Clone, PartialEq, Message)]
pub(super) struct State {
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

/// What is written of a moment.
pub(super) fn state(fleet: &Fleet, ledger: &Ledger) -> State {
    let standing = standing(fleet, ledger).map(|(id, Standing { unreachable, blocked })| Stands {
        entry_point: id.to_owned(),
        unreachable: words(unreachable),
        blocked: words(blocked),
    });
    State { ledger: checkpoint::encode(fleet, ledger), standing: standing.collect() }
}

/// The same as it is stored.
pub(super) fn packed(state: &State) -> std::io::Result<Vec<u8>> {
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
    for Stands { entry_point, unreachable, blocked } in &state.standing {
        restore(&mut ledger, fleet, entry_point, unreachable, blocked);
    }
    ledger.resume(keyframe.started_at);
    Ok(ledger)
}
