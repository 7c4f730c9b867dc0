//! How long ago something was, also when that was before this boot.

use core::time::Duration;

use crate::time::Moment;

/// A moment on the driver's monotonic clock, or before that clock began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Since {
    at: Moment,
    /// How old it was then already.
    age: Duration,
}

impl Since {
    /// This very moment.
    pub const fn now(now: Moment) -> Self {
        Self { at: now, age: Duration::ZERO }
    }

    /// What the wall clock said then, read when it says `wall`; `None` if that lies ahead.
    pub fn remembered(then: Moment, wall: Moment, now: Moment) -> Option<Self> {
        (then <= wall).then(|| Self { at: now, age: wall.since(then) })
    }

    /// How old it is.
    pub fn age(self, now: Moment) -> Duration {
        self.age.saturating_add(now.since(self.at))
    }

    /// The same on the wall clock, which says `wall`.
    pub fn to_wall(self, now: Moment, wall: Moment) -> Moment {
        wall.before(self.age(now))
    }
}
