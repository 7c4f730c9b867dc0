//! How often something may happen: a burst, then one in every so often.
//!
//! Like a parking meter: each event pays a coin of time ahead, and nobody may pay more than a burst ahead. One number per
//! meter, no timers.

use std::collections::BTreeMap;
use std::time::Duration;

use quorate_core::time::Moment;

use super::gate::Origin;

/// The meter: paid up to a moment.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Meter {
    paid_until: Moment,
}

impl Meter {
    /// Takes one, or says how long to wait for the next.
    pub(super) fn take(&mut self, now: Moment, burst: u32, every: Duration) -> Result<(), Duration> {
        let paid_until = self.paid_until.max(now).after(every);
        let ahead = paid_until.since(now);
        let most = every.saturating_mul(burst);
        if ahead > most {
            return Err(ahead.saturating_sub(most));
        }
        self.paid_until = paid_until;
        Ok(())
    }
}

/// A meter for each origin, at most `origins_max` of them.
#[derive(Debug, Default)]
pub(super) struct Meters {
    by_origin: BTreeMap<Origin, Meter>,
}

impl Meters {
    /// As [`Meter::take`]; where all places are taken by origins that are still paid ahead, a newcomer goes unmetered:
    /// the meter over all origins holds for it.
    pub(super) fn take(
        &mut self,
        origin: Origin,
        now: Moment,
        (burst, every): (u32, Duration),
        origins_max: usize,
    ) -> Result<(), Duration> {
        if self.by_origin.len() >= origins_max && !self.by_origin.contains_key(&origin) {
            self.by_origin.retain(|_, meter| meter.paid_until > now);
            if self.by_origin.len() >= origins_max {
                return Ok(());
            }
        }
        self.by_origin.entry(origin).or_default().take(now, burst, every)
    }
}
