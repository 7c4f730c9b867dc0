//! One letter of the outbox: what it says, when it was written, and how it lies on disk.

use prost::Message as _;
use quorate_core::time::Moment;
use quorate_proto::v1;

use crate::{clock, files};

/// Id of an outbox.
pub(crate) type OutboxId = [u8; 16];

/// When a report's round ended, in clocks that survive a restart of the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Observed {
    pub(super) boot_id: [u8; 16],
    pub(super) since_boot: Moment,
    pub(super) wall: Moment,
}

impl Observed {
    /// A moment of this boot, on [`clock::since_boot`].
    pub(crate) fn at(since_boot: Moment) -> Self {
        let wall = clock::wall().before(clock::since_boot().since(since_boot));
        Self { boot_id: clock::boot_id(), since_boot, wall }
    }

    /// How long ago that was: exact within one boot; the wall clock's word across boots, at least 0.
    pub(crate) fn age_ms(self) -> u64 {
        let age = if self.boot_id == clock::boot_id() {
            clock::since_boot().since(self.since_boot)
        } else {
            clock::wall().since(self.wall)
        };
        age.as_millis() as u64
    }
}

/// First bytes of a letter: format 1.
const MAGIC: [u8; 4] = *b"QOB1";
/// Everything before the report.
pub(super) const HEAD: usize = 4 + 32 + 8 + 16 + 16 + 8 + 8;

/// One letter as it lies on disk: magic, SHA-256 of the rest, sequence, outbox, boot, since boot, wall, report.
pub(super) struct Sealed {
    pub(super) sequence: u64,
    pub(super) outbox: OutboxId,
    pub(super) observed: Observed,
    pub(super) report: v1::Report,
}

impl Sealed {
    pub(super) fn seal(&self) -> Vec<u8> {
        let mut rest = Vec::with_capacity(HEAD + self.report.encoded_len());
        rest.extend(self.sequence.to_le_bytes());
        rest.extend(self.outbox);
        rest.extend(self.observed.boot_id);
        rest.extend(self.observed.since_boot.as_ms().to_le_bytes());
        rest.extend(self.observed.wall.as_ms().to_le_bytes());
        rest.extend(self.report.encode_to_vec());
        [&MAGIC[..], &files::sha256(&rest), &rest].concat()
    }

    pub(super) fn open(bytes: &[u8]) -> Option<Self> {
        let (magic, bytes) = bytes.split_first_chunk::<4>()?;
        let (hash, rest) = bytes.split_first_chunk::<32>()?;
        if *magic != MAGIC || *hash != files::sha256(rest) {
            return None;
        }
        let (sequence, rest) = rest.split_first_chunk::<8>()?;
        let (outbox, rest) = rest.split_first_chunk::<16>()?;
        let (boot_id, rest) = rest.split_first_chunk::<16>()?;
        let (since_boot, rest) = rest.split_first_chunk::<8>()?;
        let (wall, rest) = rest.split_first_chunk::<8>()?;
        let moment = |ms: &[u8; 8]| Moment::from_ms(u64::from_le_bytes(*ms));
        Some(Self {
            sequence: u64::from_le_bytes(*sequence),
            outbox: *outbox,
            observed: Observed { boot_id: *boot_id, since_boot: moment(since_boot), wall: moment(wall) },
            report: v1::Report::decode(rest).ok()?,
        })
    }
}
