//! How often something may happen: a burst, then one in every so often.
//!
//! Like a parking meter: each event pays a coin of time ahead, and nobody may pay more than a burst ahead. One number per
//! meter, no timers.

use std::collections::BTreeMap;
use std::time::Duration;

use quorate_core::time::Moment;

/// The meter: paid up to a moment.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Meter {
    paid_until: Moment,
}

impl Meter {
    /// Takes one, or says how long to wait for the next.
    pub(crate) fn take(&mut self, now: Moment, burst: u32, every: Duration) -> Result<(), Duration> {
        let paid_until = self.paid_until.max(now).after(every);
        let ahead = paid_until.since(now);
        let most = every.saturating_mul(burst);
        if ahead > most {
            return Err(ahead.saturating_sub(most));
        }
        self.paid_until = paid_until;
        Ok(())
    }

    /// Takes one back that was taken.
    pub(crate) fn give_back(&mut self, every: Duration) {
        self.paid_until = self.paid_until.before(every);
    }
}

/// A meter for each payer.
#[derive(Debug)]
pub(crate) struct Meters<P>(BTreeMap<P, Meter>);

impl<P> Default for Meters<P> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<P: Ord> Meters<P> {
    /// As [`Meter::take`], with at most `payers_max` meters; where all are taken by payers that are still paid ahead, a
    /// newcomer goes unmetered.
    pub(crate) fn take(
        &mut self,
        payer: P,
        now: Moment,
        (burst, every): (u32, Duration),
        payers_max: usize,
    ) -> Result<(), Duration> {
        if self.0.len() >= payers_max && !self.0.contains_key(&payer) {
            self.0.retain(|_, meter| meter.paid_until > now);
            if self.0.len() >= payers_max {
                return Ok(());
            }
        }
        self.0.entry(payer).or_default().take(now, burst, every)
    }

    /// As [`Meter::give_back`].
    pub(crate) fn give_back(&mut self, payer: &P, every: Duration) {
        if let Some(meter) = self.0.get_mut(payer) {
            meter.give_back(every);
        }
    }
}
