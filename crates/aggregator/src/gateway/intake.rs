//! What makes a report acceptable, and when its round ended (R2).
//!
//! Times travel as ages: a wrong wall clock moves nothing. An age can only place a round in the past, so a report "from
//! the future" can be no more than a claim in `wall_ms`, which nothing here reads. Whether the plan is known and the
//! outcomes fit it is for the engine to decide: the report is kept in any case.

use std::time::Duration;

use quorate_core::time::Moment;
use quorate_proto::v1;

use crate::limits::OUTBOX_ID_BYTES_MAX;

/// Why a report, or the outbox of a Hello, is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No outbox at all.
    #[error("outbox_id is empty: use 1 to {OUTBOX_ID_BYTES_MAX} bytes")]
    NoOutbox,
    /// Longer than the store keeps; how long.
    #[error("outbox_id has {0} bytes: use 1 to {OUTBOX_ID_BYTES_MAX}")]
    LongOutbox(usize),
    /// None that the store can count by.
    #[error("sequence {0} is out of range: count from 1")]
    Sequence(u64),
}

/// When the round of a report that came at `received_at` ended.
pub fn observed_at(report: &v1::Report, received_at: Moment) -> Moment {
    received_at.before(Duration::from_millis(report.age_ms))
}

/// Refuses what cannot be told from another report.
pub fn check(report: &v1::Report) -> Result<(), Refusal> {
    check_outbox(&report.outbox_id)?;
    // The upper end is the store's: a signed 64-bit column.
    match report.sequence {
        1..=0x7fff_ffff_ffff_ffff => Ok(()),
        sequence => Err(Refusal::Sequence(sequence)),
    }
}

/// Refuses what cannot be a key.
pub fn check_outbox(id: &[u8]) -> Result<(), Refusal> {
    match id.len() {
        0 => Err(Refusal::NoOutbox),
        1..=OUTBOX_ID_BYTES_MAX => Ok(()),
        length => Err(Refusal::LongOutbox(length)),
    }
}
