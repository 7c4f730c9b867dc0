//! The book: channels, rules and mutes as they stand in the store, for those who tell and those who carry.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use quorate_core::notify::Pace;
use quorate_core::time::Moment;
use tokio::sync::watch;

use super::channel::{ChannelEntry, Settings};
use super::rules::{Rules, RulesEntry};
use crate::store::{Store, StoreError};

/// Where the store keeps the rules.
const RULES: &str = "notify_rules";

/// Everything that an operator wrote about messages.
#[derive(Debug, Clone)]
pub struct Book {
    /// By id.
    pub channels: BTreeMap<String, Arc<Settings>>,
    /// The number of each: one that takes the name of another is another.
    pub numbers: BTreeMap<String, u64>,
    /// As written.
    pub written: RulesEntry,
    /// The same, checked.
    pub rules: Rules,
    /// Until when each muted server is.
    pub mutes: BTreeMap<String, Moment>,
}

impl Book {
    /// Reads it from the store. What this version does not understand is left out, and the log says so.
    pub async fn read(store: &Store) -> Result<Self, StoreError> {
        let (mut channels, mut numbers) = (BTreeMap::new(), BTreeMap::new());
        for stored in store.channels().await? {
            if let Ok(settings) = serde_json::from_str::<Settings>(&stored.settings) {
                numbers.insert(stored.id.clone(), stored.number);
                channels.insert(stored.id, Arc::new(settings));
            } else {
                // The error might quote a secret.
                tracing::error!("channel '{}' is not understood: put it again", stored.id);
            }
        }
        let written: RulesEntry = match store.meta(RULES).await? {
            None => RulesEntry::default(),
            Some(text) => serde_json::from_str(&text).unwrap_or_else(|error| {
                tracing::error!("the rules of messages are not understood, and everything is told: {error}");
                RulesEntry::default()
            }),
        };
        let known: Vec<String> = channels.keys().cloned().collect();
        let mut usable = written.clone();
        // A channel may be gone since.
        for rule in &mut usable.rules {
            let names_some = !rule.channels.is_empty();
            rule.channels.retain(|channel| known.contains(channel));
            if names_some && rule.channels.is_empty() {
                rule.channels.push(NO_CHANNEL.to_owned());
            }
        }
        let with_none: Vec<String> = known.iter().cloned().chain([NO_CHANNEL.to_owned()]).collect();
        let rules = usable.checked(&with_none).unwrap_or_else(|error| {
            tracing::error!("the rules of messages cannot be followed, and everything is told: {error}");
            Rules::all()
        });
        let mutes = store.mutes().await?.into_iter().map(|mute| (mute.server, mute.until)).collect();
        Ok(Self { channels, numbers, written, rules, mutes })
    }

    /// How messages are paced.
    pub fn pace(&self) -> Pace {
        let RulesEntry { grouping_s, rest_s, .. } = self.written;
        Pace { grouping: Duration::from_secs(grouping_s.into()), rest: Duration::from_secs(rest_s.into()) }
    }

    /// The ids of all channels.
    pub fn ids(&self) -> Vec<String> {
        self.channels.keys().cloned().collect()
    }

    /// The channels, as written, with their secrets.
    pub fn entries(&self) -> impl Iterator<Item = ChannelEntry> {
        let entry = |(id, settings): (&String, &Arc<Settings>)| ChannelEntry {
            id: id.clone(),
            settings: Settings::clone(settings),
        };
        self.channels.iter().map(entry)
    }
}

/// No channel is called that: a rule for channels that are gone is not one for all.
const NO_CHANNEL: &str = "";

/// Keeps the rules.
pub async fn write_rules(store: &Store, rules: &RulesEntry) -> Result<(), StoreError> {
    // Strings and numbers can be written as JSON.
    store.set_meta(RULES, &serde_json::to_string(rules).unwrap_or_default()).await
}

/// Readers of the book, who are woken when it changes, or when something of it is to be looked at anew.
#[derive(Debug, Clone)]
pub struct Books(watch::Sender<Arc<Book>>);

impl Books {
    /// The book as the store has it.
    pub async fn open(store: &Store) -> Result<Self, StoreError> {
        Ok(Self(watch::Sender::new(Arc::new(Book::read(store).await?))))
    }

    /// As it was read last.
    pub fn book(&self) -> Arc<Book> {
        self.0.borrow().clone()
    }

    /// Wakes at each change.
    pub fn watch(&self) -> watch::Receiver<Arc<Book>> {
        self.0.subscribe()
    }

    /// Reads it anew and wakes all readers.
    pub async fn reread(&self, store: &Store) -> Result<(), StoreError> {
        self.0.send_replace(Arc::new(Book::read(store).await?));
        Ok(())
    }
}
