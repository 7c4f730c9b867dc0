//! What is told on one channel, and when: a desk that compares what stands with what it told.
//!
//! The everyday picture: a night porter with a slate. On it stands what he told the house. He looks out of the window,
//! and where slate and street differ for a while, he rings once, says all that is different, and wipes the slate to
//! match. What was so when his shift began he writes down without a word.
//!
//! Always true: between two words on a subject it was told differently; each alarm that was told is told to be over once,
//! whenever that is seen, also by a desk that was resumed from [`Desk::told`]; what stood at the beginning is not told, and
//! neither is its end; a subject is told of at most once in [`Pace::rest`].
//!
//! It refuses to know what a word means, what time of day it is, and how bytes travel: whether a subject may be told of at
//! this moment (rules, mutes, quiet hours) is a [`Gate`] that its driver hands in.
//!
//! A driver calls [`Desk::handle_picture`] whenever something may have changed and at least every few seconds,
//! [`Desk::handle_note`] for what happens and is over at once, and then [`Desk::poll`]. What `poll` gives out counts as told:
//! a driver that cannot write it down goes on with the desk from before.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use crate::time::Moment;

pub use self::word::{NoWord, Severity, Topic};

mod word;

/// How messages are paced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// How long what is different waits for what else will be.
    pub grouping: Duration,
    /// How long a subject is left in peace after it was told of.
    pub rest: Duration,
}

impl Default for Pace {
    /// Servers whose trouble has one cause are noticed within the jitter of a round; who flaps for an hour costs sixty
    /// messages at the very worst.
    fn default() -> Self {
        Self { grouping: Duration::from_secs(20), rest: Duration::from_secs(60) }
    }
}

/// Notes that wait for the next message; older ones are dropped, since they only say what was.
const NOTES_MAX: usize = 256;

/// What an alarm is about: at most one stands for each key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// What kind of thing is told.
    pub topic: Topic,
    /// Whose: a server's, route's or edge's id, two servers, a country and lane, the aggregator.
    pub subject: Arc<str>,
}

/// Something that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// What it is about.
    pub key: Key,
    /// What it is, like `unreachable`. Another word on the same key is a change.
    pub word: Arc<str>,
    /// How bad that is.
    pub severity: Severity,
}

/// Whether a subject may be told of at this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// Yes.
    Open,
    /// Not yet: told when the gate opens, if it still stands.
    Held,
    /// No rule wants it. That it is over is told all the same, if it was told.
    Unwanted,
}

/// What a channel last heard of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// The word.
    pub word: Arc<str>,
    /// How bad it was.
    pub severity: Severity,
    /// It is known and was not told: it stood at the beginning, or nobody wanted it. Its end is not told either.
    pub silent: bool,
    /// When it was told, or seen first.
    pub at: Moment,
}

/// One thing to tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Of what.
    pub key: Key,
    /// What the channel knew; none where all was well.
    pub before: Option<Told>,
    /// What it is; none where all is well again.
    pub after: Option<(Arc<str>, Severity)>,
}

/// One message: everything that is to be told at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Telling {
    /// What changed, in the order of keys; empty if there are notes alone.
    pub changes: Vec<Change>,
    /// Ids of what happened, in order.
    pub notes: Vec<u64>,
}

/// A key whose slate and street differ.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    since: Moment,
    held: bool,
}

/// What one channel was told, and what waits to be told. See the module for the order of calls.
#[derive(Debug, Clone)]
pub struct Desk {
    pace: Pace,
    /// It has seen a believed picture: what is new from here on is news.
    settled: bool,
    told: BTreeMap<Key, Told>,
    street: BTreeMap<Key, (Arc<str>, Severity)>,
    waiting: BTreeMap<Key, Waiting>,
    /// When alarms that are over were told to be, for as long as that matters.
    ended: BTreeMap<Key, Moment>,
    notes: BTreeMap<u64, Moment>,
}

impl Desk {
    /// A desk that was told nothing yet: what it sees until the first believed picture stood before it.
    pub fn new(pace: Pace) -> Self {
        Self {
            pace,
            settled: false,
            told: BTreeMap::new(),
            street: BTreeMap::new(),
            waiting: BTreeMap::new(),
            ended: BTreeMap::new(),
            notes: BTreeMap::new(),
        }
    }

    /// A desk that goes on from what [`Self::told`] and [`Self::is_settled`] gave.
    pub fn resume(pace: Pace, settled: bool, told: impl IntoIterator<Item = (Key, Told)>) -> Self {
        Self { settled, told: told.into_iter().collect(), ..Self::new(pace) }
    }

    /// What to keep over a restart.
    pub fn told(&self) -> &BTreeMap<Key, Told> {
        &self.told
    }

    /// Whether the beginning is over. To be kept over a restart.
    pub fn is_settled(&self) -> bool {
        self.settled
    }

    /// Paces messages otherwise from here on.
    pub fn set_pace(&mut self, pace: Pace) {
        self.pace = pace;
    }

    /// Takes over everything that stands. `believed` says that what does not stand is truly over: an aggregator that just
    /// began to listen has not heard of everybody. `gate` answers for keys that stand, and for those that were told.
    pub fn handle_picture(
        &mut self,
        standing: impl IntoIterator<Item = Standing>,
        believed: bool,
        gate: impl Fn(&Key, Severity) -> Gate,
        now: Moment,
    ) {
        let before = core::mem::take(&mut self.street);
        self.street = standing.into_iter().map(|alarm| (alarm.key, (alarm.word, alarm.severity))).collect();
        if !believed {
            // What was told and is not seen may only be not seen yet.
            for (key, told) in &self.told {
                let as_known = || before.get(key).cloned().unwrap_or_else(|| (told.word.clone(), told.severity));
                self.street.entry(key.clone()).or_insert_with(as_known);
            }
        }
        self.know_silently(&gate, now);
        self.settled |= believed;
        self.compare(&gate, now);
        self.ended.retain(|_, at| now.since(*at) < self.pace.rest);
    }

    /// Writes down without a word what stood at the beginning, what nobody wants, and what ended of that.
    fn know_silently(&mut self, gate: &impl Fn(&Key, Severity) -> Gate, now: Moment) {
        let Self { told, street, settled, .. } = self;
        told.retain(|key, told| !told.silent || street.contains_key(key));
        for (key, (word, severity)) in street.iter() {
            let unwanted = !*settled || gate(key, *severity) == Gate::Unwanted;
            match told.get_mut(key) {
                None if unwanted => {
                    let (word, severity) = (word.clone(), *severity);
                    told.insert(key.clone(), Told { word, severity, silent: true, at: now });
                }
                Some(known) if unwanted && known.silent && known.word != *word => {
                    *known = Told { word: word.clone(), severity: *severity, silent: true, at: now };
                }
                None | Some(_) => {}
            }
        }
    }

    /// Finds where slate and street differ, and since when.
    fn compare(&mut self, gate: &impl Fn(&Key, Severity) -> Gate, now: Moment) {
        let before = core::mem::take(&mut self.waiting);
        let keys: BTreeSet<&Key> = self.told.keys().chain(self.street.keys()).collect();
        for key in keys {
            let (told, street) = (self.told.get(key), self.street.get(key));
            let held = match (told, street) {
                (Some(told), Some((word, _))) if told.word == *word => continue,
                (_, Some((_, severity))) => match gate(key, *severity) {
                    Gate::Open => false,
                    Gate::Held => true,
                    // It was told, or it would be known silently: its end will be told, and nothing before.
                    Gate::Unwanted => continue,
                },
                (Some(told), None) => gate(key, told.severity) == Gate::Held,
                (None, None) => continue,
            };
            let since = before.get(key).map_or(now, |waiting| waiting.since);
            self.waiting.insert(key.clone(), Waiting { since, held });
        }
    }

    /// Something happened and is over. One that waits already waits on; one that nobody wants at this moment is not told
    /// later.
    pub fn handle_note(&mut self, id: u64, gate: Gate, now: Moment) {
        if gate == Gate::Open && self.settled {
            self.notes.entry(id).or_insert(now);
            while self.notes.len() > NOTES_MAX {
                self.notes.pop_first();
            }
        }
    }

    /// The oldest note that waits to be told: one who reads them again after a restart begins with it.
    pub fn first_note(&self) -> Option<u64> {
        self.notes.keys().next().copied()
    }

    /// When [`Self::poll`] has something to tell, as things are.
    pub fn poll_timeout(&self) -> Option<Moment> {
        let notes = self.notes.values().map(|since| since.after(self.pace.grouping));
        let open = self.waiting.iter().filter(|(_, waiting)| !waiting.held);
        open.map(|(key, waiting)| waiting.since.after(self.pace.grouping).max(self.rests_until(key))).chain(notes).min()
    }

    /// The next message, once something was different for as long as messages are grouped. With it goes everything else
    /// that is different then, however young.
    pub fn poll(&mut self, now: Moment) -> Option<Telling> {
        if self.poll_timeout().is_none_or(|due| due > now) {
            return None;
        }
        let due =
            |(key, waiting): (&Key, &Waiting)| (!waiting.held && self.rests_until(key) <= now).then(|| key.clone());
        let keys: Vec<Key> = self.waiting.iter().filter_map(due).collect();
        let changes = keys.into_iter().filter_map(|key| self.tell(key, now)).collect();
        let notes = core::mem::take(&mut self.notes).into_keys().collect();
        Some(Telling { changes, notes })
    }

    fn tell(&mut self, key: Key, now: Moment) -> Option<Change> {
        self.waiting.remove(&key);
        let after = self.street.get(&key).cloned();
        let before = if let Some((word, severity)) = &after {
            let told = Told { word: word.clone(), severity: *severity, silent: false, at: now };
            self.told.insert(key.clone(), told)
        } else {
            self.ended.insert(key.clone(), now);
            // Nothing waits to be told of what neither stands nor was told.
            Some(self.told.remove(&key)?)
        };
        Some(Change { key, before, after })
    }

    /// Until when a subject is left in peace after it was told of.
    fn rests_until(&self, key: &Key) -> Moment {
        let told = self.told.get(key).filter(|told| !told.silent).map(|told| told.at);
        let last = told.or_else(|| self.ended.get(key).copied());
        last.map_or(Moment::ZERO, |last| last.after(self.pace.rest))
    }
}

#[cfg(test)]
mod tests;
