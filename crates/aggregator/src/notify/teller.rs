//! The teller: looks at the scene, asks each channel's desk what there is to tell, and writes that down together with the
//! message that tells it. What is written is then carried by [`super::courier`].
//!
//! Always true: a desk's memory and its message are stored in one transaction, so that a process that dies in between
//! loses no alarm and tells none twice; the engine waits for nobody here.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use quorate_core::notify::{Desk, Gate, Key, Severity, Told};
use quorate_core::renewal::Stage;
use quorate_core::time::Moment;
use tokio::sync::broadcast;
use tokio::time::sleep;

use super::NotifyConfig;
use super::book::{Book, Books};
use super::courier::Couriers;
use super::happened::Happened;
use super::message::{Item, Message};
use super::rules::Matter;
use super::scene::{Alarm, Scene};
use super::words::{self, Known, Links};
use super::{limits, names};
use crate::clock::wall;
use crate::engine::Event;
use crate::store::{ChannelNews, NewDelivery, Store, StoreError, StoredChannel, ToldRow};

/// The scene is looked at this often at most: evaluations may follow each other faster than anybody reads.
const LOOK_MIN: Duration = Duration::from_millis(250);
/// And this often at least: quiet hours and mutes end without anything happening.
const LOOK_MAX: Duration = Duration::from_secs(2);

/// The one who tells.
pub(super) struct Teller {
    config: NotifyConfig,
    books: Books,
    links: Links,
    channels: BTreeMap<String, Channel>,
    /// Since when each alarm is seen with its word, where nobody says since when it stands.
    seen: BTreeMap<Key, (Arc<str>, Moment)>,
    happened: Happened,
    couriers: Couriers,
    /// The store failed at the last look: that is said once.
    waits: bool,
}

/// One channel's desk, and what the store has of it.
struct Channel {
    number: u64,
    desk: Desk,
    saved: BTreeMap<Key, Kept>,
    settled: bool,
    through_event: u64,
}

/// What the store has of a subject.
#[derive(Clone)]
struct Kept {
    told: Told,
    since: Moment,
    item: Option<Item>,
}

/// What one look found.
struct Look<'a> {
    scene: &'a Scene,
    book: &'a Book,
    alarms: &'a BTreeMap<Key, Alarm>,
    seen: &'a BTreeMap<Key, (Arc<str>, Moment)>,
}

impl Teller {
    pub fn new(config: NotifyConfig, books: Books) -> Self {
        let couriers = Couriers::new(config.store.clone(), books.clone(), config.clock.clone());
        Self {
            links: Links { public_url: config.public_url.clone() },
            config,
            books,
            channels: BTreeMap::new(),
            seen: BTreeMap::new(),
            happened: Happened::default(),
            couriers,
            waits: false,
        }
    }

    /// Tells, until it is dropped.
    pub async fn run(mut self) {
        let mut snapshots = self.config.engine.watch();
        let mut events = self.config.engine.events();
        let mut books = self.books.watch();
        loop {
            self.look(&mut events).await;
            sleep(LOOK_MIN).await;
            tokio::select! {
                changed = snapshots.changed() => if changed.is_err() { return },
                changed = books.changed() => if changed.is_err() { return },
                () = sleep(LOOK_MAX) => {}
            }
        }
    }

    async fn look(&mut self, events: &mut broadcast::Receiver<Arc<Event>>) {
        let looked = self.try_look(events).await;
        if let Err(error) = &looked
            && !self.waits
        {
            tracing::warn!("messages wait for the database: {error}");
        }
        self.waits = looked.is_err();
    }

    async fn try_look(&mut self, events: &mut broadcast::Receiver<Arc<Event>>) -> Result<(), StoreError> {
        let book = self.books.book();
        self.couriers.keep_to(&book);
        self.open_channels(&book).await?;
        let scene = self.scene();
        if !scene.is_there() {
            return Ok(());
        }
        let alarms: BTreeMap<Key, Alarm> =
            scene.alarms().into_iter().map(|alarm| (alarm.standing.key.clone(), alarm)).collect();
        self.see(&alarms, scene.now);
        self.happened.hear(events);
        let from = self.channels.values().map(|channel| channel.through_event).min();
        self.happened.read(&self.config.store, from).await?;
        let look = Look { scene: &scene, book: &book, alarms: &alarms, seen: &self.seen };
        for (id, channel) in &mut self.channels {
            channel.desk.set_pace(book.pace());
            if channel.tell(id, &look, &self.happened, &self.links, &self.config.store).await? {
                self.couriers.wake(id);
            }
        }
        Ok(())
    }

    fn see(&mut self, alarms: &BTreeMap<Key, Alarm>, now: Moment) {
        self.seen.retain(|key, (word, _)| alarms.get(key).is_some_and(|alarm| alarm.standing.word == *word));
        for (key, alarm) in alarms {
            let first = || (alarm.standing.word.clone(), alarm.since.unwrap_or(now));
            self.seen.entry(key.clone()).or_insert_with(first);
        }
    }

    /// Desks of new channels are opened as they were left, those of channels that are gone are closed.
    async fn open_channels(&mut self, book: &Book) -> Result<(), StoreError> {
        self.channels.retain(|id, channel| book.numbers.get(id) == Some(&channel.number));
        if book.channels.keys().all(|id| self.channels.contains_key(id)) {
            return Ok(());
        }
        for stored in self.config.store.channels().await? {
            if self.channels.contains_key(&stored.id) || !book.channels.contains_key(&stored.id) {
                continue;
            }
            let rows = self.config.store.told(&stored.id).await?;
            let kept = |row: ToldRow| {
                // What cannot be read back is told in other words.
                let item = serde_json::from_str(&row.item).ok();
                (row.key, Kept { told: row.told, since: row.since, item })
            };
            let saved: BTreeMap<Key, Kept> = rows.into_iter().map(kept).collect();
            let told = saved.iter().map(|(key, kept)| (key.clone(), kept.told.clone()));
            let desk = Desk::resume(book.pace(), stored.settled, told);
            let StoredChannel { id, number, settled, through_event, .. } = stored;
            self.channels.insert(id, Channel { number, desk, saved, settled, through_event });
        }
        Ok(())
    }

    fn scene(&self) -> Scene {
        let NotifyConfig { engine, edges, gateway, clock, .. } = &self.config;
        let at = wall();
        let mut late: Vec<_> = gateway.as_ref().map_or_else(Vec::new, |gateway| gateway.late_certificates(at));
        late.sort_by(|a, b| a.server.cmp(&b.server));
        let late = late.into_iter().map(|pin| {
            let stage = pin.lifetime.stage(at);
            (pin, stage)
        });
        Scene {
            snapshot: engine.snapshot(),
            edges: edges.borrow().clone(),
            late: late.filter(|(_, stage)| *stage >= Stage::Late).collect(),
            now: clock.now(),
        }
    }
}

impl Look<'_> {
    /// Whether a channel may be told of a key at this moment.
    fn gate(&self, channel: &str, key: &Key, severity: Severity) -> Gate {
        let over;
        let about = if let Some(alarm) = self.alarms.get(key) {
            &alarm.about
        } else {
            over = self.scene.about(key);
            &over
        };
        self.gate_of(channel, &Matter { topic: key.topic, severity, about })
    }

    fn gate_of(&self, channel: &str, matter: &Matter<'_>) -> Gate {
        let muted = |server: &Arc<str>| self.book.mutes.get(&**server).is_some_and(|until| *until > self.scene.now);
        match self.book.rules.gate(channel, matter, self.scene.now) {
            Gate::Open if matter.about.servers.iter().any(muted) => Gate::Held,
            gate => gate,
        }
    }
}

impl Channel {
    /// Shows the desk the scene, and stores what comes of it. Whether there is a message to carry.
    async fn tell(
        &mut self,
        id: &str,
        look: &Look<'_>,
        happened: &Happened,
        links: &Links,
        store: &Store,
    ) -> Result<bool, StoreError> {
        let now = look.scene.now;
        let standing = look.alarms.values().map(|alarm| alarm.standing.clone());
        self.desk.handle_picture(standing, look.scene.is_believed(), |key, severity| look.gate(id, key, severity), now);
        let mut through_event = self.through_event;
        for note in happened.after(self.through_event) {
            let key = Key { topic: note.topic, subject: note.event.subject.as_str().into() };
            let matter = Matter { topic: note.topic, severity: note.severity, about: &look.scene.about(&key) };
            self.desk.handle_note(note.event.id, look.gate_of(id, &matter), now);
        }
        let mut desk = self.desk.clone();
        let telling = desk.poll(now);
        // Notes that still wait are read again after a restart.
        through_event = match desk.first_note() {
            Some(waiting) => through_event.max(waiting.saturating_sub(1)),
            None => through_event.max(happened.through()),
        };
        let mut items: BTreeMap<Key, Item> = BTreeMap::new();
        let mut message: Option<Message> = None;
        if let Some(telling) = &telling {
            let mut all = Vec::new();
            for change in &telling.changes {
                let kept = self.saved.get(&change.key);
                let known = Known {
                    change,
                    before: kept.and_then(|kept| kept.item.clone()),
                    since: self.since(&change.key, look),
                };
                let item = words::item(look.scene, links, &known);
                if change.after.is_some() {
                    items.insert(change.key.clone(), item.clone());
                }
                all.push(item);
            }
            let notes = telling.notes.iter().filter_map(|id| happened.get(*id));
            all.extend(notes.map(|note| words::note(&note.event, note.topic, note.severity, links)));
            message = Some(words::message(all, links, now));
        }
        let delivery = message.as_ref().map(|message| delivery(id, message, now)).transpose();
        let delivery = match delivery {
            Ok(delivery) => delivery,
            Err(error) => {
                tracing::error!("{error}: nothing is told meanwhile");
                return Ok(false);
            }
        };
        let changed = self.changed(&desk, look, &items);
        let forgotten: Vec<Key> = self.saved.keys().filter(|key| !desk.told().contains_key(*key)).cloned().collect();
        let is_news = delivery.is_some() || !changed.is_empty() || !forgotten.is_empty();
        if !is_news && desk.is_settled() == self.settled && through_event == self.through_event {
            return Ok(false);
        }
        let is_message = delivery.is_some();
        let told = changed.iter().map(|(key, kept)| ToldRow {
            key: key.clone(),
            told: kept.told.clone(),
            since: kept.since,
            item: serde_json::to_string(&kept.item).unwrap_or_default(),
        });
        let news = ChannelNews {
            channel: id.to_owned(),
            number: self.number,
            at: now,
            settled: desk.is_settled(),
            through_event,
            told: told.collect(),
            forgotten,
            delivery,
        };
        if !store.tell_channel(&news).await? {
            // The channel was removed a moment ago: the book will say so.
            return Ok(false);
        }
        if let Some(message) = &message {
            tracing::info!(channel = id, severity = message.severity, "told: {}", message.title);
            let shed = store.shed_deliveries(id, limits::WAITING_MAX, now).await?;
            if shed > 0 {
                tracing::error!("{shed} messages on channel '{id}' were given up: too many wait");
            }
        }
        for key in &news.forgotten {
            self.saved.remove(key);
        }
        self.saved.extend(changed);
        (self.settled, self.through_event) = (desk.is_settled(), through_event);
        self.desk = desk;
        Ok(is_message)
    }

    /// Since when something stands: what was told once stays so.
    fn since(&self, key: &Key, look: &Look<'_>) -> Moment {
        let kept = self
            .saved
            .get(key)
            .filter(|kept| look.alarms.get(key).is_none_or(|alarm| alarm.standing.word == kept.told.word));
        kept.map(|kept| kept.since).or_else(|| look.seen.get(key).map(|(_, since)| *since)).unwrap_or(look.scene.now)
    }

    /// What the store has not, or otherwise.
    fn changed(&self, desk: &Desk, look: &Look<'_>, items: &BTreeMap<Key, Item>) -> BTreeMap<Key, Kept> {
        let differs = |(key, told): &(&Key, &Told)| self.saved.get(*key).is_none_or(|kept| kept.told != **told);
        let kept = |(key, told): (&Key, &Told)| {
            let kept = Kept { told: told.clone(), since: self.since(key, look), item: items.get(key).cloned() };
            (key.clone(), kept)
        };
        desk.told().iter().filter(differs).map(kept).collect()
    }
}

fn delivery(channel: &str, message: &Message, now: Moment) -> Result<NewDelivery, names::NoRandom> {
    Ok(NewDelivery {
        name: names::of_delivery()?,
        channel: channel.to_owned(),
        made_at: now,
        // Strings and numbers can be written as JSON.
        message: serde_json::to_string(message).unwrap_or_default(),
    })
}
