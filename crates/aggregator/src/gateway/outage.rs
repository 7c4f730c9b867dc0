//! What is said of a store that takes nothing: a line when it begins, a line when it is over.
//!
//! Every agent tries again, and each attempt fails for the same reason: a line for each would fill what is left of the disk
//! that is full. What is counted here is told at the end.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::store::StoreError;

/// The store as the gateway finds it.
#[derive(Debug, Default)]
pub(super) struct Outage {
    /// Attempts that failed since it began; none while the store works.
    failed: Mutex<Option<u64>>,
}

impl Outage {
    /// Something could not be stored or looked up.
    pub(super) fn failed(&self, error: &StoreError) {
        match error {
            StoreError::Unavailable { .. } => {
                if self.begins() {
                    tracing::error!(%error, "reports are not stored; their agents keep them and try again");
                }
            }
            // The row was refused, not the writing.
            StoreError::Exists { .. } | StoreError::TooLarge { .. } | StoreError::Corrupt { .. } => {
                tracing::error!(%error, "a report or a session is not stored");
            }
        }
    }

    /// A report was stored, or a session.
    pub(super) fn worked(&self) {
        if let Some(attempts) = self.ends() {
            tracing::info!(attempts, "reports are stored again");
        }
    }

    fn begins(&self) -> bool {
        let mut failed = self.count();
        let before = failed.unwrap_or_default();
        *failed = Some(before.saturating_add(1));
        before == 0
    }

    fn ends(&self) -> Option<u64> {
        self.count().take()
    }

    fn count(&self) -> MutexGuard<'_, Option<u64>> {
        // A number is whole at any moment.
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::Outage;

    #[test]
    fn an_outage_is_told_when_it_begins_and_when_it_is_over() {
        let outage = Outage::default();
        assert_eq!(outage.ends(), None);
        assert_eq!([outage.begins(), outage.begins(), outage.begins()], [true, false, false]);
        assert_eq!([outage.ends(), outage.ends()], [Some(3), None]);
        assert!(outage.begins(), "the next one is told anew");
    }
}
