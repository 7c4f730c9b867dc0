//! Was the process let run while it looked? A failure that was seen across a pause says nothing.

use std::time::Duration;

use crate::clock;

/// How often the clock is looked at.
const TICK: Duration = Duration::from_millis(100);
/// A longer gap than this is a pause: a busy machine makes shorter ones all the time.
const PAUSE: Duration = Duration::from_secs(1);

/// Runs `look` to its end, and tells whether the process was stopped, suspended or starved meanwhile.
pub(super) async fn watched<T>(look: impl Future<Output = T>) -> (T, bool) {
    tokio::pin!(look);
    let mut last = clock::since_boot();
    let mut paused = false;
    loop {
        let done = tokio::select! {
            done = &mut look => Some(done),
            () = tokio::time::sleep(TICK) => None,
        };
        let now = clock::since_boot();
        paused |= now.since(last) > PAUSE;
        last = now;
        if let Some(done) = done {
            return (done, paused);
        }
    }
}
