//! Couriers: one for each channel, carrying what waits in the order in which it was written.
//!
//! The everyday picture: a postman with one bag for one house. If nobody opens he comes again, later and later, and what he
//! could not hand over in a day he brings back. He never hands over the second letter before the first.
//!
//! Always true: what arrived is noted after it arrived, so a process that dies in between sends it once more under the same
//! name; a house that does not answer keeps no other waiting.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use quorate_core::time::Moment;
use ring::rand::{SecureRandom as _, SystemRandom};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::book::{Book, Books};
use super::carrier::{self, Parcel, Refusal, STANDING_EVERY};
use super::channel::Settings;
use super::limits::{AGAIN_AFTER, AGAIN_AFTER_MAX, ATTEMPTS_MIN, TRIED_FOR};
use super::message::{Item, Message};
use crate::clock::Clock;
use crate::store::{Attempt, Delivery, DeliveryState, Store, StoreError};

/// How long a courier waits for the store to come back.
const STORE_AGAIN_AFTER: Duration = Duration::from_secs(2);
/// Longest nap: somebody may have written past us.
const NAP_MAX: Duration = Duration::from_secs(60);

/// All of them.
pub(super) struct Couriers {
    store: Store,
    books: Books,
    clock: Clock,
    running: BTreeMap<String, Running>,
}

struct Running {
    bell: Arc<Notify>,
    task: JoinHandle<()>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Couriers {
    pub fn new(store: Store, books: Books, clock: Clock) -> Self {
        Self { store, books, clock, running: BTreeMap::new() }
    }

    /// One for each channel, and none for those that are gone.
    pub fn keep_to(&mut self, book: &Book) {
        self.running.retain(|id, running| book.channels.contains_key(id) && !running.task.is_finished());
        for id in book.channels.keys() {
            if self.running.contains_key(id) {
                continue;
            }
            let bell = Arc::new(Notify::new());
            let courier = Courier {
                channel: id.clone(),
                store: self.store.clone(),
                books: self.books.clone(),
                clock: self.clock.clone(),
                bell: bell.clone(),
                kept_at: None,
            };
            self.running.insert(id.clone(), Running { bell, task: tokio::spawn(courier.run()) });
        }
    }

    /// There is something in the bag.
    pub fn wake(&self, channel: &str) {
        if let Some(running) = self.running.get(channel) {
            running.bell.notify_one();
        }
    }
}

struct Courier {
    channel: String,
    store: Store,
    books: Books,
    clock: Clock,
    bell: Arc<Notify>,
    /// When what stands was sent again last.
    kept_at: Option<Moment>,
}

impl Courier {
    async fn run(mut self) {
        let mut books = self.books.watch();
        loop {
            let settings = books.borrow_and_update().channels.get(&self.channel).cloned();
            let Some(settings) = settings else { return };
            let nap = match self.walk(&settings).await {
                Ok(nap) => nap,
                Err(error) => {
                    tracing::warn!("messages on channel '{}' wait for the database: {error}", self.channel);
                    STORE_AGAIN_AFTER
                }
            };
            tokio::select! {
                () = sleep(nap.min(NAP_MAX)) => {}
                () = self.bell.notified() => {}
                changed = books.changed() => if changed.is_err() { return },
            }
        }
    }

    /// Carries what is due; how long there is nothing to do after that.
    async fn walk(&mut self, settings: &Settings) -> Result<Duration, StoreError> {
        let standing = self.keep(settings).await?;
        let Some(delivery) = self.store.next_delivery(&self.channel).await? else { return Ok(standing) };
        let now = self.clock.now();
        if delivery.due_at > now {
            return Ok(standing.min(delivery.due_at.since(now)));
        }
        let attempt = self.attempt(settings, &delivery).await;
        self.store.note_attempt(&attempt).await?;
        Ok(Duration::ZERO)
    }

    async fn attempt(&self, settings: &Settings, delivery: &Delivery) -> Attempt {
        let at = self.clock.now();
        let carried = match serde_json::from_str::<Message>(&delivery.message) {
            Ok(message) => carrier::carry(settings, Parcel { name: &delivery.name, message: &message, now: at }).await,
            Err(error) => Err(Refusal::Refused { said: format!("the stored message cannot be read: {error}") }),
        };
        let at = self.clock.now();
        let (channel, name, kind) = (&self.channel, &delivery.name, settings.kind());
        match carried {
            Ok(said) => {
                tracing::debug!(channel, kind, delivery = name, "sent: {said}");
                Attempt { id: delivery.id, at, state: DeliveryState::Sent, due_at: at, said }
            }
            Err(refusal) => {
                let state = next_state(delivery, &refusal, at);
                let due_at = at.after(again_after(delivery.attempts, &refusal, die()));
                let said = refusal.to_string();
                match state {
                    DeliveryState::Dead => tracing::error!(channel, kind, delivery = name, "given up: {said}"),
                    DeliveryState::Waiting | DeliveryState::Sent => {
                        tracing::warn!(channel, kind, delivery = name, "not sent, tried again: {said}");
                    }
                }
                Attempt { id: delivery.id, at, state, due_at, said }
            }
        }
    }

    /// Sends again what stands, where it would end by itself otherwise; when that is due next.
    async fn keep(&mut self, settings: &Settings) -> Result<Duration, StoreError> {
        let Settings::Alertmanager(entry) = settings else { return Ok(NAP_MAX) };
        let now = self.clock.now();
        if let Some(left) = self.kept_at.map(|at| STANDING_EVERY.saturating_sub(now.since(at)))
            && !left.is_zero()
        {
            return Ok(left);
        }
        let told = self.store.told(&self.channel).await?;
        let standing = told.into_iter().filter(|row| !row.told.silent);
        let standing: Vec<Item> = standing.filter_map(|row| serde_json::from_str(&row.item).ok()).collect();
        self.kept_at = Some(now);
        if let Err(refusal) = carrier::keep_alerts(entry, &standing, now).await {
            tracing::warn!(channel = self.channel, "what stands was not sent again: {refusal}");
        }
        Ok(STANDING_EVERY)
    }
}

/// What was understood and not wanted gets a few tries, because somebody may be mending it; the rest a day.
fn next_state(delivery: &Delivery, refusal: &Refusal, now: Moment) -> DeliveryState {
    let attempts = delivery.attempts + 1;
    let is_old = match refusal {
        Refusal::Later { .. } => now.since(delivery.made_at) >= TRIED_FOR,
        Refusal::Refused { .. } => true,
    };
    if is_old && attempts >= ATTEMPTS_MIN { DeliveryState::Dead } else { DeliveryState::Waiting }
}

/// Twice as long each time, a fifth more or less, so that many who were refused at once do not come again at once; never
/// before the other side wants it. `die` is any byte.
fn again_after(attempts: u64, refusal: &Refusal, die: u8) -> Duration {
    let doublings = u32::try_from(attempts).unwrap_or(u32::MAX).min(16);
    let wait = AGAIN_AFTER.saturating_mul(1 << doublings).min(AGAIN_AFTER_MAX);
    let wait = wait * (80 + u32::from(die) * 40 / 255) / 100;
    match refusal {
        Refusal::Later { after: Some(after), .. } => wait.max(*after),
        Refusal::Later { after: None, .. } | Refusal::Refused { .. } => wait,
    }
}

fn die() -> u8 {
    let mut byte = [0];
    // Without random numbers they may come in step.
    let _ = SystemRandom::new().fill(&mut byte);
    byte[0]
}

#[cfg(test)]
mod tests;
