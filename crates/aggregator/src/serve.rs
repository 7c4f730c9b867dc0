//! The whole aggregator: store, engine, gateway and API, started in that order and ended in the other.
//!
//! Ports are tried before anything is made, so that a second aggregator on one machine leaves nothing behind but one clear
//! line. The first start makes everything: directory, database, certificate authority, an admin token.

mod first_start;
mod names;

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::api::difference::Difference;
use crate::api::{self, Api, Doors, PublicUrl, Shared, Source, access};
use crate::archive::{History, last_hour};
use crate::authority::{Authority, AuthorityError};
use crate::backtest::Backtests;
use crate::clock::Clock;
use crate::edge_watch::{Resolver, Trust, Walker};
use crate::engine::{Engine, EngineConfig, EngineHandle, StartError};
use crate::fleet_file::{self, FleetFileError};
use crate::gateway::{Gateway, GatewayConfig, GatewayError, GatewayHandle};
use crate::inventory::{Inventory, Network};
use crate::notify::book::Books;
use crate::notify::{self, NotifyConfig};
use crate::store::{
    Claim, ClaimError, NewAudit, OpenError, ReplaceError, Retention, Store, StoreError, StoredInventory,
};
pub(crate) use first_start::make_data_dir;
use first_start::{first_token, lock, write_private};
use names::{all_dialled, dialled, host_of, is_dialled, reachable};

/// The admin token that the first start made, in the data directory, readable by its owner alone.
pub const ADMIN_TOKEN_FILE: &str = "admin-token";
/// Where the API listens, in the data directory, for the command line.
pub const API_URL_FILE: &str = "api-url";

/// What the aggregator is told.
#[derive(Debug, Clone)]
pub struct ServeConfig {
    /// Everything lives here.
    pub data_dir: PathBuf,
    /// `sqlite:PATH` or `postgres://…`; a SQLite file in the data directory when absent.
    pub database: Option<String>,
    /// Where the API listens.
    pub listen_api: SocketAddr,
    /// Where agents come in.
    pub listen_gateway: SocketAddr,
    /// What agents dial, `host` or `host:port`; the first one stands in the enrolment's command.
    pub gateway_names: Vec<String>,
    /// What people type to get to the pages, if there is a reverse proxy.
    pub public_url: Option<PublicUrl>,
    /// Proxies whose word is taken on whom they forward.
    pub trusted_proxies: Vec<Network>,
    /// Declares the inventory.
    pub fleet: Option<PathBuf>,
    /// How long and how large the archive of reports may grow.
    pub retention: Retention,
    /// Who is asked for the addresses of the gateway's names.
    pub resolver: Resolver,
}

/// Why the aggregator does not start, in one line.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A port is taken, privileged, or the address is not this machine's.
    #[error(
        "cannot listen on {addr} for {what}: {problem}; give another address with {flag}, or stop what listens there"
    )]
    Listen {
        /// Where.
        addr: SocketAddr,
        /// For whom.
        what: &'static str,
        /// Which flag moves it.
        flag: &'static str,
        /// What the system said.
        problem: io::Error,
    },
    /// The data directory or a file in it.
    #[error("{}: {problem}; give another directory with --data-dir", path.display())]
    DataDir {
        /// Which.
        path: PathBuf,
        /// What the system said.
        problem: io::Error,
    },
    /// No signals.
    #[error("cannot listen to signals: {0}")]
    Hangups(io::Error),
    /// Another aggregator works on the data directory.
    #[error("{}: another aggregator runs on it; stop that one, or give another directory with --data-dir", .0.display())]
    InUse(PathBuf),
    /// What agents are to dial.
    #[error("--gateway-name '{0}': give a host name or an address, or one with a port, like watch.example.org:8443")]
    GatewayName(String),
    /// The fleet file.
    #[error(transparent)]
    Fleet(#[from] FleetFileError),
    /// A fleet file that was read while it was being written, or one that goes too far.
    #[error("{}: {problem}; restart the aggregator if it is meant", path.display())]
    TooFar {
        /// Which.
        path: PathBuf,
        /// What it would do.
        problem: String,
    },
    /// The database.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Another aggregator works on the database.
    #[error(transparent)]
    Claim(#[from] ClaimError),
    /// A call on the open database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Two aggregators on one database.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    /// The engine.
    #[error(transparent)]
    Engine(#[from] StartError),
    /// The certificate authority.
    #[error(transparent)]
    Authority(#[from] AuthorityError),
    /// The gateway.
    #[error(transparent)]
    Gateway(#[from] GatewayError),
    /// No random numbers.
    #[error(transparent)]
    NoRandom(#[from] access::NoRandom),
}

/// A running aggregator.
pub struct Running {
    /// Where the API listens.
    pub api_addr: SocketAddr,
    /// Where agents come in.
    pub gateway_addr: SocketAddr,
    /// What agents are told to dial.
    pub gateway_name: String,
    /// The admin token, if this start made it.
    pub admin_token: Option<String>,
    /// What was found.
    pub engine: EngineHandle,
    /// What is remembered.
    pub store: Store,
    /// Who is connected.
    pub gateway: GatewayHandle,
    api: Api,
    task: JoinHandle<Result<(), ServeError>>,
}

impl Running {
    /// Reads the declared fleet again, as SIGHUP does; whether it says anything new. False where none is declared.
    pub async fn reload(&self) -> Result<bool, ServeError> {
        match &self.api.source {
            Source::Api => Ok(false),
            Source::File(path) => reload(&self.api, path).await,
        }
    }

    /// Places for readers of badges, for tests that take them.
    #[cfg(test)]
    pub(crate) fn badge_places(&self) -> Arc<Semaphore> {
        self.api.badge_streams.clone()
    }

    /// Returns when everything has ended: after `shutdown` of [`serve`], or because it could not go on.
    pub async fn ended(self) -> Result<(), ServeError> {
        self.task.await.unwrap_or_else(|error| {
            tracing::error!(%error, "the aggregator ended in disorder");
            Ok(())
        })
    }
}

/// The database of a data directory, when no other is named.
pub(crate) fn database_in(data_dir: &Path) -> String {
    format!("sqlite:{}", data_dir.join("quorate.db").display())
}

/// Starts everything; it runs until `shutdown`.
pub async fn serve(config: ServeConfig, shutdown: CancellationToken) -> Result<Running, ServeError> {
    if let Some(name) = config.gateway_names.iter().find(|name| !is_dialled(name)) {
        return Err(ServeError::GatewayName(name.clone()));
    }
    // First of all: a hangup that nobody listens for ends the process.
    let hangups = signal(SignalKind::hangup()).map_err(ServeError::Hangups)?;
    let api_listener = listen(config.listen_api, "the API", "--listen-api").await?;
    // The gateway takes its port later, when there is an engine for what comes in.
    drop(listen(config.listen_gateway, "agents", "--listen-gateway").await?);
    let declared = config.fleet.as_deref().map(fleet_file::load).transpose()?;
    make_data_dir(&config.data_dir)?;
    let lock = lock(&config.data_dir)?;
    let database = config.database.clone();
    let database = database.unwrap_or_else(|| database_in(&config.data_dir));
    let store = Store::open(&database).await?;
    let claim = store.claim().await?;
    let clock = Clock::start(store.latest_moment().await?);
    if let Some(mut declared) = declared {
        let StoredInventory { version, inventory: known, .. } = store.inventory().await?.unwrap_or_default();
        declared.date_edges(&known, clock.now());
        if known != declared || version == 0 {
            store.replace_inventory(version, &declared, clock.now(), "file").await?;
        }
    }
    let admin_token = first_token(&store, &clock, &config.data_dir).await?;
    let authority = Arc::new(Authority::open(&config.data_dir)?);
    let engine = Engine::start(store.clone(), clock.clone(), EngineConfig { retention: config.retention }).await?;
    tokio::spawn(last_hour::bring(engine.clone(), store.clone(), clock.now()));
    let names: Vec<String> = config.gateway_names.iter().map(|name| host_of(name).to_owned()).collect();
    let gateway_config = GatewayConfig { listen: config.listen_gateway, names };
    let trust = Trust::Pinned(authority.spki_pin());
    let gateway = Gateway::bind(gateway_config, store.clone(), engine.clone(), authority, clock.clone()).await?;
    let gateway_handle = gateway.handle();
    let (api_addr, gateway_addr) = (local_addr(&api_listener, config.listen_api)?, gateway.local_addr());
    let walker = Walker {
        engine: engine.clone(),
        store: store.clone(),
        sessions: gateway.sessions(),
        clock: clock.clone(),
        gateway: all_dialled(&config.gateway_names, gateway_addr),
        resolver: config.resolver,
        trust,
    };
    let (edges, walking) = walker.start(shutdown.clone());
    let stop = CancellationToken::new();
    let books = Books::open(&store).await?;
    let notify = NotifyConfig {
        engine: engine.clone(),
        store: store.clone(),
        edges: edges.clone(),
        gateway: Some(gateway_handle.clone()),
        clock: clock.clone(),
        public_url: config.public_url.as_ref().map(|url| url.to_string().into()),
    };
    let telling = notify::run(notify, books.clone(), shutdown.clone());
    let api = Api::new(Shared {
        engine: engine.clone(),
        store: store.clone(),
        gateway: Some(gateway_handle.clone()),
        edges,
        books,
        clock: clock.clone(),
        source: config.fleet.clone().map_or(Source::Api, Source::File),
        gateway_name: dialled(&config.gateway_names, gateway_addr),
        changes: Arc::default(),
        doors: Doors::new(config.public_url, config.trusted_proxies),
        streams: Arc::new(Semaphore::new(api::STREAMS_MAX)),
        history: History::new(store.clone()),
        badge_streams: Arc::new(Semaphore::new(api::badges::BADGE_STREAMS_MAX)),
        link_key: api::badges::LinkKey::default(),
        backtests: Backtests::new(store.clone(), clock, stop.clone()),
        stop,
    });
    // The command line finds the API by it; without it, it takes --url.
    write_private(&config.data_dir.join(API_URL_FILE), &format!("http://{}\n", reachable(api_addr)))?;
    tracing::info!(api = %api_addr, gateway = %gateway_addr, store = store.url(), "the aggregator runs");
    let running = run(api.clone(), api_listener, gateway, hangups, shutdown.clone());
    let task = tokio::spawn(async move {
        let (ended, (), ()) = tokio::join!(run_claimed(claim, running, &shutdown), walking, telling);
        drop(lock);
        ended
    });
    let gateway_name = api.gateway_name.clone();
    Ok(Running { api_addr, gateway_addr, gateway_name, admin_token, engine, store, gateway: gateway_handle, api, task })
}

/// Longest that the engine may take to write its checkpoint; with the gateway's 5 s and the store's close, an end takes
/// less than 10 s.
const CHECKPOINT_MAX: Duration = Duration::from_secs(3);
/// Longest that the store may take to close.
const CLOSE_MAX: Duration = Duration::from_secs(1);

/// Runs as long as the database is ours; ends in order when it is somebody else's.
async fn run_claimed(
    claim: Claim,
    running: impl Future<Output = ()>,
    shutdown: &CancellationToken,
) -> Result<(), ServeError> {
    let mut running = pin!(running);
    tokio::select! {
        () = &mut running => Ok(()),
        taken = claim.hold() => {
            tracing::error!("{taken}");
            shutdown.cancel();
            running.await;
            Err(taken.into())
        }
    }
}

async fn run(api: Api, listener: TcpListener, gateway: Gateway, hangups: Signal, shutdown: CancellationToken) {
    let stop = api.stop.clone();
    let serving = api::listener::serve(listener, api::router(api.clone()), stop.clone());
    let hangups = tokio::spawn(reload_on_hangup(api.clone(), hangups));
    let end = async {
        shutdown.cancelled().await;
        tracing::info!("the aggregator ends");
        stop.cancel();
    };
    // What the gateway had under way is stored before the engine writes its checkpoint.
    tokio::join!(serving, gateway.run(shutdown.clone()), end);
    hangups.abort();
    match timeout(CHECKPOINT_MAX, api.engine.stop()).await {
        Ok(Ok(())) => {}
        Ok(Err(_)) => tracing::error!("the engine had ended before"),
        Err(_) => tracing::warn!("the engine wrote no checkpoint in time; the next start folds its reports anew"),
    }
    if timeout(CLOSE_MAX, api.store.close()).await.is_err() {
        tracing::warn!("the store did not close in time");
    }
}

/// Reads the fleet file again at each SIGHUP; a bad one changes nothing.
async fn reload_on_hangup(api: Api, mut hangups: Signal) {
    while hangups.recv().await.is_some() {
        let Source::File(path) = api.source.clone() else {
            tracing::info!("a hangup changes nothing: the fleet is declared through the API");
            continue;
        };
        match reload(&api, &path).await {
            Ok(true) => tracing::info!(file = %path.display(), "the fleet file is in force"),
            Ok(false) => tracing::info!(file = %path.display(), "the fleet file says nothing new"),
            Err(error) => tracing::error!("{error}; the fleet as it was stays in force"),
        }
    }
}

/// Puts the fleet file in force; whether it says anything new.
async fn reload(api: &Api, path: &Path) -> Result<bool, ServeError> {
    let mut declared = fleet_file::load(path)?;
    let _one_at_a_time = api.changes.lock().await;
    let StoredInventory { version, inventory: known, .. } = api.store.inventory().await?.unwrap_or_default();
    let now = api.clock.now();
    declared.date_edges(&known, now);
    if known == declared {
        return Ok(false);
    }
    check_step(path, &known, &declared)?;
    let new = api.store.replace_inventory(version, &declared, now, "file").await?;
    let difference = Difference::of(&known, &declared);
    let audit = NewAudit {
        at: now,
        by: "file".to_owned(),
        action: "inventory.reload".to_owned(),
        subject: path.display().to_string(),
        detail: format!("inventory {} to {}", api::changes::digest(&known), api::changes::digest(&declared)),
        before: Some(difference.before),
        after: Some(difference.after),
    };
    api.store.append_audit(&audit).await?;
    if api.engine.replace_inventory(new, declared).await.is_err() {
        tracing::warn!("the engine has ended; the fleet file is in force at the next start");
    }
    Ok(true)
}

/// A file in the middle of being written may well be a good one with nothing in it, so what the API would refuse unless
/// forced is refused here too. A start takes the file as it is.
fn check_step(path: &Path, known: &Inventory, declared: &Inventory) -> Result<(), ServeError> {
    let too_far = |problem| ServeError::TooFar { path: path.to_owned(), problem };
    if declared.servers.is_empty() && !known.servers.is_empty() {
        return Err(too_far(format!("declares no server, and {} are watched", known.servers.len())));
    }
    // Both were checked: the one when it was read, the other when it was stored.
    let (Ok(old), Ok(new)) = (known.fleet(), declared.fleet()) else { return Ok(()) };
    match api::changes::emptied(&old, &new) {
        Some(route) => {
            Err(too_far(format!("route '{route}' would be left without an entry point of an active server")))
        }
        None => Ok(()),
    }
}

async fn listen(addr: SocketAddr, what: &'static str, flag: &'static str) -> Result<TcpListener, ServeError> {
    TcpListener::bind(addr).await.map_err(|problem| ServeError::Listen { addr, what, flag, problem })
}

fn local_addr(listener: &TcpListener, addr: SocketAddr) -> Result<SocketAddr, ServeError> {
    listener.local_addr().map_err(|problem| ServeError::Listen { addr, what: "the API", flag: "--listen-api", problem })
}
