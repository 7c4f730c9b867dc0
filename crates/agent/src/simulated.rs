//! The simulated host that a task runs on: its clocks, its dice, its disk and its network.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use quorate_core::time::Moment;
use ring::digest::{SHA256, digest};
use tokio::io::{AsyncRead, AsyncWrite};

pub use self::disk::Mood;

mod disk;

tokio::task_local! {
    static HOST: Host;
}

/// The host of this task, if it runs on a simulated one.
pub(crate) fn host() -> Option<Host> {
    HOST.try_with(Clone::clone).ok()
}

/// Keeps work that is put on another task on the host of this one.
pub(crate) fn on_this_host<F: Future>(work: F) -> impl Future<Output = F::Output> {
    let here = host();
    async move {
        match here {
            Some(host) => host.run(work).await,
            None => work.await,
        }
    }
}

/// What a connection is.
pub trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

type Connecting = Pin<Box<dyn Future<Output = io::Result<Box<dyn Stream>>> + Send>>;

/// Where connections of a host go.
pub trait Network: Send + Sync {
    /// Dials an address; waits as long as the network makes it wait.
    fn connect(&self, to: SocketAddr) -> Connecting;
}

/// A host. Clones are the same host.
#[derive(Clone)]
pub struct Host(Arc<Inner>);

struct Inner {
    name: String,
    /// Time since the simulation began.
    elapsed: Box<dyn Fn() -> Duration + Send + Sync>,
    network: Box<dyn Network>,
    state: Mutex<State>,
}

struct State {
    boots: u64,
    booted_at: Duration,
    /// The wall clock when the simulation began, as this host has it.
    wall_began_ms: i64,
    mood: Mood,
    thrown: u64,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Host").field(&self.0.name).finish()
    }
}

impl Host {
    /// A host that was just started. `elapsed` tells the time since the simulation began; its name is what its dice follow
    /// from.
    pub fn new(
        name: impl Into<String>,
        wall_began: Moment,
        elapsed: impl Fn() -> Duration + Send + Sync + 'static,
        network: impl Network + 'static,
    ) -> Self {
        let state = State {
            boots: 1,
            booted_at: Duration::ZERO,
            wall_began_ms: wall_began.as_ms().cast_signed(),
            mood: Mood::Well,
            thrown: 0,
        };
        let state = Mutex::new(state);
        Self(Arc::new(Inner { name: name.into(), elapsed: Box::new(elapsed), network: Box::new(network), state }))
    }

    /// Its wall clock jumps.
    pub fn step_wall(&self, by_ms: i64) {
        self.state().wall_began_ms += by_ms;
    }

    /// The machine starts anew: time since boot begins again.
    pub fn reboot(&self) {
        let now = (self.0.elapsed)();
        let mut state = self.state();
        state.boots += 1;
        state.booted_at = now;
    }

    /// How its disk is from here on.
    pub fn set_disk(&self, mood: Mood) {
        self.state().mood = mood;
    }

    /// Runs `work` on this host.
    pub(super) async fn run<F: Future>(self, work: F) -> F::Output {
        HOST.scope(self, work).await
    }

    pub(crate) fn since_boot(&self) -> Moment {
        let at = (self.0.elapsed)().saturating_sub(self.state().booted_at);
        // A machine is up for a while before its agent starts.
        Moment::from_ms(60_000).after(at)
    }

    pub(crate) fn wall(&self) -> Moment {
        let elapsed_ms = i64::try_from((self.0.elapsed)().as_millis()).unwrap_or(i64::MAX);
        Moment::from_ms(self.state().wall_began_ms.saturating_add(elapsed_ms).max(0).cast_unsigned())
    }

    pub(crate) fn boot_id(&self) -> [u8; 16] {
        self.hash("boot", self.state().boots)
    }

    /// Chance that follows from the host's name.
    pub(crate) fn throw(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(16) {
            let thrown = {
                let mut state = self.state();
                state.thrown += 1;
                state.thrown
            };
            chunk.copy_from_slice(&self.hash("dice", thrown)[..chunk.len()]);
        }
    }

    pub(crate) fn disk(&self) -> Mood {
        self.state().mood
    }

    pub(crate) async fn connect(&self, to: SocketAddr) -> io::Result<Box<dyn Stream>> {
        self.0.network.connect(to).await
    }

    fn hash(&self, what: &str, number: u64) -> [u8; 16] {
        let text = format!("{}\n{what}\n{number}", self.0.name);
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest(&SHA256, text.as_bytes()).as_ref()[..16]);
        bytes
    }

    /// Every change is whole before anything could panic.
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
