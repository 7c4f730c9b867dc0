//! A store whose calls are moments of simulated time: each is done whole, at once, on the thread that asks, or as the weather
//! has it.
//!
//! The database is a real one and its threads are real; nobody else runs while one of its calls does, so that each run of
//! the same operations is like the other. Between two calls anything may happen.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use tokio::runtime::Handle;

use super::error::Failure;
use super::{OpenError, Store, open};

/// What becomes of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is done.
    Done,
    /// It takes this long until it is done.
    Slow(Duration),
    /// It is refused, and nothing is done.
    Refused,
    /// It is done, and its answer is lost.
    Unheard,
    /// The process dies before it is done: whoever waits for it waits for ever.
    DiesBefore,
    /// The process dies when it is done.
    DiesAfter,
}

/// Decides what becomes of each call.
pub trait Weather: Send + Sync {
    /// Asked once for each call, in order.
    fn fate(&self) -> Fate;
}

/// A store's weather, and where its database runs.
pub(super) struct Simulated {
    weather: Arc<dyn Weather>,
    database: Handle,
}

/// Opens the store at `url`; its database runs on `database`, a runtime with threads and a clock of its own.
pub(crate) fn open_at_once(url: &str, weather: Arc<dyn Weather>, database: Handle) -> Result<Store, OpenError> {
    let store = at_once(&database, open::open(url, open::Missing::Make))?;
    // It was made just now.
    let _ = store.inner.simulated.set(Simulated { weather, database });
    Ok(store)
}

/// Closes it, at once.
pub(crate) fn close_at_once(store: &Store) {
    if let Some(simulated) = store.inner.simulated.get() {
        at_once(&simulated.database, store.close());
    }
}

/// One call, as the weather has it.
pub(super) async fn disturbed<T>(
    simulated: Option<&Simulated>,
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let Some(Simulated { weather, database }) = simulated else { return work.await };
    let lost = || Failure::Sql(std::io::Error::from(std::io::ErrorKind::ConnectionReset).into());
    match weather.fate() {
        Fate::Done => at_once(database, work),
        Fate::Slow(span) => {
            tokio::time::sleep(span).await;
            at_once(database, work)
        }
        Fate::Refused => Err(lost()),
        Fate::Unheard => at_once(database, work).and_then(|_| Err(lost())),
        Fate::DiesBefore => std::future::pending().await,
        Fate::DiesAfter => {
            // Nobody is left to be told.
            let _ = at_once(database, work);
            std::future::pending().await
        }
    }
}

/// Runs `work` to its end on this thread.
fn at_once<T>(database: &Handle, work: impl Future<Output = T>) -> T {
    let _there = database.enter();
    let waker = Waker::from(Arc::new(Unparked(thread::current())));
    let (mut work, mut context) = (pin!(work), Context::from_waker(&waker));
    loop {
        match work.as_mut().poll(&mut context) {
            Poll::Ready(done) => return done,
            Poll::Pending => thread::park(),
        }
    }
}

struct Unparked(Thread);

impl Wake for Unparked {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
