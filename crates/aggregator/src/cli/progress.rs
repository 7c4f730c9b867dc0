//! What a person at a terminal sees while something takes longer than a second: what is waited for, and for how long.
//!
//! It goes to standard error, on one line that is wiped in the end; where standard error is no terminal there is none.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval};

use super::{print, terminal};

/// Shorter waits are not worth a line.
const PATIENCE: Duration = Duration::from_secs(1);

/// There is one line: what is waited for on the way to something else is not shown beside it.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// As long as it is held, what it waits for is shown.
#[must_use = "the line goes with it"]
pub struct Progress {
    line: Option<JoinHandle<()>>,
}

impl Progress {
    /// Begins to wait for `what`: a few words, like "reading the matrix".
    pub fn of(what: impl Into<String>) -> Self {
        let what = what.into();
        let is_free = terminal::is_watched() && !TAKEN.swap(true, Ordering::Relaxed);
        let line = is_free.then(|| {
            tokio::spawn(async move {
                let mut seconds = interval(PATIENCE);
                seconds.set_missed_tick_behavior(MissedTickBehavior::Skip);
                seconds.tick().await;
                for passed in 1_u64.. {
                    seconds.tick().await;
                    print::progress(&format!("{what} … {passed} s"));
                }
            })
        });
        Self { line }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(line) = self.line.take() {
            line.abort();
            print::progress("");
            TAKEN.store(false, Ordering::Relaxed);
        }
    }
}
