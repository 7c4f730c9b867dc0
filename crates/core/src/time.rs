//! Moments and spans. Core has no clock: every moment is handed in by a driver.

use core::time::Duration;

/// A moment in milliseconds since an epoch that the driver chose; only differences mean anything here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Moment(u64);

impl Moment {
    /// The epoch itself.
    pub const ZERO: Self = Self(0);

    /// The largest moment that a [`crate::streak::Pair`] can hold: 48 bits, the year 10889 counted from 1970.
    pub const MAX: Self = Self((1 << 48) - 1);

    /// `ms` milliseconds after the epoch, at most [`Moment::MAX`].
    pub const fn from_ms(ms: u64) -> Self {
        if ms > Self::MAX.0 { Self::MAX } else { Self(ms) }
    }

    /// Milliseconds since the epoch.
    pub const fn as_ms(self) -> u64 {
        self.0
    }

    /// How long ago `earlier` was at this moment; zero if it lies ahead.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }

    /// This moment moved on by `span`, at most [`Moment::MAX`].
    #[must_use]
    pub const fn after(self, span: Duration) -> Self {
        Self::from_ms(self.0.saturating_add(span_ms(span)))
    }

    /// This moment moved back by `span`, at least zero.
    #[must_use]
    pub const fn before(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(span_ms(span)))
    }
}

/// A span in whole milliseconds, saturating: a span longer than that outlives every fleet.
const fn span_ms(span: Duration) -> u64 {
    let ms = span.as_millis();
    if ms > u64::MAX as u128 { u64::MAX } else { ms as u64 }
}

#[cfg(test)]
mod tests;
