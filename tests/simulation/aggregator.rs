//! One run of the aggregator: real store, engine and gateway, composed as `serve` does, and somebody who reads along.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use quorate_aggregator::authority::Authority;
use quorate_aggregator::clock::Clock;
use quorate_aggregator::engine::{Engine, EngineConfig, EngineHandle, Event};
use quorate_aggregator::gateway::{Gateway, GatewayConfig, GatewayHandle};
use quorate_aggregator::inventory::Inventory;
use quorate_aggregator::simulation::{close_store, open_store};
use quorate_aggregator::store::{ReplaceError, Retention, Store};
use quorate_core::ledger::Standing;
use quorate_core::verdict::{Scope, Scopes};
use tokio::runtime::Handle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::twin::{Said, Twin};
use crate::weather::{Calm, Sky};

/// A running aggregator.
pub struct Aggregator {
    pub store: Store,
    pub engine: EngineHandle,
    pub gateway: GatewayHandle,
    pub clock: Clock,
    pub sky: Sky,
    stop: CancellationToken,
    serving: AbortOnDropHandle<()>,
    _reading: AbortOnDropHandle<()>,
}

/// What outlives all runs of the aggregator: who reads along, and what was seen to be wrong.
#[derive(Clone)]
pub struct Reader(Arc<Mutex<Reading>>);

pub struct Reading {
    /// The database, seen past all weather.
    pub book: Store,
    pub twin: Twin,
    /// What each report says, by its number.
    pub said: BTreeMap<u64, Said>,
    /// What was told to those who listen, by event id.
    pub heard: BTreeMap<u64, Event>,
    pub wrong: Option<String>,
    /// Snapshots that were compared with the twin.
    pub compared: u64,
}

impl Reader {
    pub fn new(database: &Path, threads: &Handle) -> Result<Self, String> {
        let book = open_store(&url(database), Arc::new(Calm), threads.clone()).map_err(|error| error.to_string())?;
        Ok(Self(Arc::new(Mutex::new(Reading {
            book,
            twin: Twin::default(),
            said: BTreeMap::new(),
            heard: BTreeMap::new(),
            wrong: None,
            compared: 0,
        }))))
    }

    pub fn lock(&self) -> MutexGuard<'_, Reading> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn book(&self) -> Store {
        self.lock().book.clone()
    }

    /// Notes what is wrong; the first thing counts.
    pub fn wrong(&self, what: String) {
        self.lock().wrong.get_or_insert(what);
    }

    /// Compares each snapshot with the twin, as long as the engine lives.
    async fn compare(self, engine: EngineHandle, sky: Sky) {
        let mut snapshots = engine.watch();
        snapshots.mark_changed();
        while snapshots.changed().await.is_ok() {
            let snapshot = Arc::clone(&snapshots.borrow_and_update());
            if snapshot.generation == 0 || sky.is_dead() {
                continue;
            }
            let (book, through) = (self.book(), self.lock().twin.through());
            let rows = match book.reports_after(through, usize::MAX).await {
                Ok(rows) => rows,
                Err(error) => return self.wrong(error.to_string()),
            };
            let followed = {
                let mut reading = self.lock();
                let Reading { twin, said, compared, .. } = &mut *reading;
                *compared += 1;
                twin.follow(&snapshot, &rows, said)
            };
            if let Err(difference) = followed {
                return self.wrong(format!("the aggregator and its twin differ: {difference}"));
            }
            // What is published is written down, unless the store lately refused to.
            match written(&book).await {
                Ok(written) if written == self.lock().twin.standing() || sky.is_rough(50) => {}
                Ok(written) => {
                    let standing = self.lock().twin.standing();
                    return self.wrong(format!("what stands is {standing:?}, and {written:?} is written down"));
                }
                Err(problem) => return self.wrong(problem),
            }
        }
    }

    /// Hears each event, as long as the engine lives. An id is one event for ever.
    async fn listen(self, engine: EngineHandle) {
        let mut events = engine.events();
        while let Ok(event) = events.recv().await {
            let before = self.lock().heard.insert(event.id, Event::clone(&event));
            if let Some(before) = before.filter(|before| *before != *event) {
                return self.wrong(format!("event {} was {before:?}, and then {event:?}", event.id));
            }
        }
    }
}

/// What stands, as it is written down.
pub async fn written(book: &Store) -> Result<BTreeMap<String, Standing>, String> {
    let rows = book.standing().await.map_err(|error| error.to_string())?;
    let scopes = |words: &[String]| -> Scopes {
        words
            .iter()
            .filter_map(|word| if word == "fleet" { Some(Scope::Fleet) } else { word.parse().ok().map(Scope::Country) })
            .collect()
    };
    let standing = |(id, row): (String, quorate_aggregator::store::StandingRow)| {
        (id, Standing { unreachable: scopes(&row.unreachable), blocked: scopes(&row.blocked) })
    };
    Ok(rows.into_iter().map(standing).collect())
}

fn url(database: &Path) -> String {
    format!("sqlite:{}", database.display())
}

impl Aggregator {
    /// Starts it as `serve` does; the error says why it does not.
    pub async fn start(
        dir: &Path,
        declared: &Inventory,
        sky: Sky,
        reader: &Reader,
        threads: &Handle,
    ) -> Result<Self, String> {
        let text = |error: &dyn std::error::Error| error.to_string();
        let store = open_store(&url(&dir.join("quorate.db")), Arc::new(sky.clone()), threads.clone())
            .map_err(|error| text(&error))?;
        let clock = Clock::start(store.latest_moment().await.map_err(|error| text(&error))?);
        declare(&store, declared, &clock).await?;
        let authority = Arc::new(Authority::open(dir).map_err(|error| text(&error))?);
        let config = EngineConfig { retention: Retention { age: Duration::from_hours(24), bytes: 1 << 30 } };
        let engine = Engine::start(store.clone(), clock.clone(), config).await.map_err(|error| text(&error))?;
        let listening = tokio::spawn(reader.clone().listen(engine.clone()));
        let comparing = tokio::spawn(reader.clone().compare(engine.clone(), sky.clone()));
        let reading = async move {
            let _ = tokio::join!(AbortOnDropHandle::new(listening), AbortOnDropHandle::new(comparing));
        };
        let reading = AbortOnDropHandle::new(tokio::spawn(reading));
        let listen = ([127, 0, 0, 1], 0).into();
        let gateway = GatewayConfig { listen, names: vec!["gateway.test".to_owned()] };
        let gateway = Gateway::bind(gateway, store.clone(), engine.clone(), authority, clock.clone())
            .await
            .map_err(|error| text(&error))?;
        let (handle, stop) = (gateway.handle(), CancellationToken::new());
        let serving = AbortOnDropHandle::new(tokio::spawn(gateway.run(stop.clone())));
        Ok(Self { store, engine, gateway: handle, clock, sky, stop, serving, _reading: reading })
    }

    /// SIGTERM, as `serve` takes it.
    pub async fn stop(self) {
        self.stop.cancel();
        // A gateway that broke down has ended too.
        let _ = self.serving.await;
        let _ = timeout(Duration::from_secs(3), self.engine.stop()).await;
        self.sky.dies();
        close_store(&self.store);
    }

    /// SIGKILL: its store answers nothing any more, so that whatever is left of it can do nothing.
    pub fn kill(self) {
        self.sky.dies();
        close_store(&self.store);
    }
}

/// Puts the fleet file in force, if it says anything new.
pub async fn declare(store: &Store, declared: &Inventory, clock: &Clock) -> Result<Option<u64>, String> {
    let known = store.inventory().await.map_err(|error| error.to_string())?.unwrap_or_default();
    if known.inventory == *declared && known.version > 0 {
        return Ok(None);
    }
    match store.replace_inventory(known.version, declared, clock.now(), "simulation").await {
        Ok(version) => Ok(Some(version)),
        Err(ReplaceError::Conflict { current }) => Err(format!("inventory {current} came in between")),
        Err(ReplaceError::Store(error)) => Err(error.to_string()),
    }
}
