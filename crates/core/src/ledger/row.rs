//! A row of the ledger: what one witness knows of the entry points that it ever gave evidence on.
//!
//! A report is one witness's round, so it walks along one row, in order, and memory comes in as fast as it can. A pair whose
//! last knock was answered takes 12 bytes: which entry point, and when. When a series of failures began lies aside, because
//! few pairs fail at a time.

use alloc::vec::Vec;
use core::time::Duration;

use crate::fleet::EntryIx;
use crate::streak::{Pair, Recent};
use crate::time::Moment;

/// Everything that one witness knows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Row {
    /// Ascending.
    entry_points: Vec<EntryIx>,
    /// Parallel to `entry_points`; none is unknown.
    recent: Vec<Recent>,
    /// First failures of the pairs with a streak, ascending.
    series: Vec<(EntryIx, Moment)>,
}

impl Row {
    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.entry_points.len()
    }

    /// All pairs, by entry point.
    pub fn iter(&self) -> impl Iterator<Item = (EntryIx, Pair)> {
        let mut series = self.series.iter();
        self.entry_points.iter().zip(&self.recent).map(move |(entry_point, recent)| {
            let began = if recent.streak() == 0 { None } else { series.next() };
            (*entry_point, Pair::of(*recent, began.map(|(_, first)| *first)))
        })
    }

    /// The pair on an entry point; unknown without evidence.
    pub fn get(&self, entry_point: EntryIx) -> Pair {
        // Who knocks on everybody but itself has (almost) one place for each.
        self.find(entry_point, entry_point.at()).map_or(Pair::UNKNOWN, |place| self.at(place))
    }

    /// Where an entry point is, or would be. `guess` is looked at first, and the place before it.
    pub fn find(&self, entry_point: EntryIx, guess: usize) -> Result<usize, usize> {
        let is_at = |place: usize| self.entry_points.get(place) == Some(&entry_point);
        if is_at(guess) {
            return Ok(guess);
        }
        match guess.checked_sub(1) {
            Some(before) if is_at(before) => Ok(before),
            _ => self.entry_points.binary_search(&entry_point),
        }
    }

    /// The pair at a place.
    pub fn at(&self, place: usize) -> Pair {
        let recent = self.recent[place];
        if recent.streak() == 0 {
            return Pair::of(recent, None);
        }
        let began = self.series_of(self.entry_points[place]);
        Pair::of(recent, began.ok().map(|at| self.series[at].1))
    }

    /// When the pair at a place succeeded, if that is the last that is known of it.
    pub fn succeeded_at(&self, place: usize) -> Option<Moment> {
        let recent = self.recent[place];
        (recent.streak() == 0).then_some(recent.at())
    }

    /// R4, where a success follows a success: nothing but its moment changes.
    pub fn succeed_again(&mut self, place: usize, at: Moment) {
        self.recent[place] = Recent::success(at);
    }

    /// Replaces the pair at a place by another with evidence.
    pub fn replace(&mut self, place: usize, pair: Pair) {
        let had_series = self.recent[place].streak() != 0;
        self.recent[place] = pair.recent();
        if had_series || pair.streak() != 0 {
            self.put_series(self.entry_points[place], pair.first_failed_at());
        }
    }

    /// Makes a place for a pair with evidence.
    pub fn insert(&mut self, place: usize, entry_point: EntryIx, pair: Pair) {
        self.entry_points.insert(place, entry_point);
        self.recent.insert(place, pair.recent());
        self.put_series(entry_point, pair.first_failed_at());
    }

    /// Puts a pair in, whether or not there is one; takes it out if it is unknown.
    pub fn put(&mut self, entry_point: EntryIx, pair: Pair) {
        match self.find(entry_point, entry_point.at()) {
            Ok(place) if pair == Pair::UNKNOWN => {
                self.put_series(entry_point, None);
                self.entry_points.remove(place);
                self.recent.remove(place);
            }
            Ok(place) => self.replace(place, pair),
            Err(_) if pair == Pair::UNKNOWN => {}
            Err(place) => self.insert(place, entry_point, pair),
        }
    }

    /// All that was seen is no older, though the clock was moved ahead by so much.
    pub fn put_off(&mut self, by: Duration) {
        for recent in &mut self.recent {
            *recent = recent.put_off(by);
        }
        for (_, first) in &mut self.series {
            *first = first.after(by);
        }
    }

    /// A first report tells how long the row will be: it grows once, to what it needs.
    pub fn expect(&mut self, pairs: usize) {
        if self.entry_points.is_empty() {
            self.entry_points.reserve_exact(pairs);
            self.recent.reserve_exact(pairs);
        }
    }

    fn put_series(&mut self, entry_point: EntryIx, began: Option<Moment>) {
        match (self.series_of(entry_point), began) {
            (Ok(at), Some(first)) => self.series[at].1 = first,
            (Ok(at), None) => drop(self.series.remove(at)),
            (Err(at), Some(first)) => self.series.insert(at, (entry_point, first)),
            (Err(_), None) => {}
        }
    }

    fn series_of(&self, entry_point: EntryIx) -> Result<usize, usize> {
        self.series.binary_search_by_key(&entry_point, |(of, _)| *of)
    }
}

#[cfg(test)]
mod tests;
