//! Something that may be wrong with the set of edges as a whole: told after rounds in a row, over after rounds in a row.

use super::{HEALED_AFTER, TOLD_AFTER};
use crate::time::Moment;

/// One thing that may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Condition {
    stands_since: Option<Moment>,
    first_seen_at: Moment,
    seen: u8,
    unseen: u8,
}

impl Condition {
    /// One that stood when the last process ended.
    pub(super) fn stood(since: Moment) -> Self {
        Self { stands_since: Some(since), ..Self::default() }
    }

    /// Since when it stands, if it does.
    pub(super) fn since(&self) -> Option<Moment> {
        self.stands_since
    }

    /// Counts a round in which it was seen or not.
    pub(super) fn handle(&mut self, is_seen: bool, now: Moment) {
        if !is_seen {
            (self.seen, self.unseen) = (0, self.unseen.saturating_add(1));
            if self.unseen >= HEALED_AFTER {
                self.stands_since = None;
            }
            return;
        }
        if self.seen == 0 {
            self.first_seen_at = now;
        }
        (self.seen, self.unseen) = (self.seen.saturating_add(1), 0);
        if self.seen >= TOLD_AFTER && self.stands_since.is_none() {
            self.stands_since = Some(self.first_seen_at);
        }
    }

    /// Whether nothing is lost by forgetting it.
    pub(super) fn is_forgotten(&self) -> bool {
        self.stands_since.is_none() && self.seen == 0
    }
}
