//! A few folded moments, so that whoever moves a slider by a minute does not fold an hour anew.

use std::sync::Arc;
use std::time::Duration;

use quorate_core::time::Moment;

use super::found::Found;

/// Moments kept: those of a few people with a slider each.
const MOMENTS_MAX: usize = 8;
/// Pairs and outcomes in all of them together: about 200 MB at the most, a thousand servers in full mesh twice.
const WEIGHT_MAX: usize = 4_000_000;

/// The most recently used last.
#[derive(Debug, Default)]
pub(super) struct Cache {
    kept: Vec<(usize, Arc<Found>)>,
}

impl Cache {
    /// That very moment.
    pub fn get(&mut self, at: Moment) -> Option<Arc<Found>> {
        let place = self.kept.iter().position(|(_, found)| found.asked == Some(at))?;
        let kept = self.kept.remove(place);
        let found = kept.1.clone();
        self.kept.push(kept);
        Some(found)
    }

    /// The last moment before `at`, not longer ago than `span`.
    pub fn before(&self, at: Moment, span: Duration) -> Option<Arc<Found>> {
        let usable = self.kept.iter().filter(|(_, found)| found.past.at() <= at && at.since(found.past.at()) <= span);
        usable.max_by_key(|(_, found)| found.past.at()).map(|(_, found)| found.clone())
    }

    /// Keeps one, and lets those go that were not used for longest. One that is too large for all is not kept.
    pub fn keep(&mut self, found: Arc<Found>) {
        let weight = found.past.weight();
        if weight > WEIGHT_MAX {
            return;
        }
        self.kept.push((weight, found));
        while self.kept.len() > MOMENTS_MAX || self.kept.iter().map(|(weight, _)| weight).sum::<usize>() > WEIGHT_MAX {
            self.kept.remove(0);
        }
    }
}

#[cfg(test)]
mod tests;
