//! The session with the gateway: Hello, then reports one way and plans and receipts the other, until one side ends it.
//!
//! A telephone line with a pile of letters beside it: whenever the line is up, letters are read out in order, and each is
//! kept until the other side says that it has written it down. A line that breaks is dialled again, ever more patiently;
//! one that was ended by agreement at once.

use std::sync::Arc;
use std::time::Duration;

use quorate_proto::v1;
use rustls::ClientConfig;
use tokio_util::sync::CancellationToken;

use self::line::Line;
use crate::dice::Dice;
use crate::edges::{Edges, Leave};
use crate::shared::Shared;

mod line;

#[cfg(test)]
pub(crate) mod testbed;
#[cfg(test)]
mod tests;

/// First pause after an error; it doubles.
const PAUSE_FIRST: Duration = Duration::from_secs(1);
/// Longest pause: an aggregator that is back is seen within two minutes.
const PAUSE_MAX: Duration = Duration::from_secs(60);
/// A planned end, of an aggregator or of an edge, ends many sessions at once: they come back spread over this long.
const REPLANNED_WITHIN: Duration = Duration::from_secs(5);
/// Time for a Goodbye to be read, and for the receipts that are under way.
const GOODBYE_BUDGET: Duration = Duration::from_secs(3);

/// How a session ended.
#[derive(Debug)]
enum End {
    /// This agent shuts down.
    Shutdown,
    /// The gateway said so, and wants it back.
    Planned(v1::Close),
    /// The gateway said so, for a reason that time alone will not mend.
    Closed(v1::Close),
    /// This agent said so, and goes on by another edge.
    Left(Leave),
    /// This agent said so: the plan is beyond its limits, and why.
    PlanRefused(String),
    /// It broke.
    Broken(String),
}

/// Keeps a session until `shutdown`.
pub(crate) async fn run(
    shared: Arc<Shared>,
    mut edges: Edges,
    mut tls: Arc<ClientConfig>,
    shutdown: CancellationToken,
) {
    let mut dice = Dice::new();
    let mut pause = PAUSE_FIRST;
    let mut refused = None;
    loop {
        let mut line = Line { shared: &shared, refused: &mut refused, welcomed: false };
        let end = tokio::select! {
            end = line.session(&mut edges, &tls, &shutdown) => end,
            // While connecting there is nobody to say Goodbye to.
            () = cancelled_before_welcome(&shutdown) => Ok(End::Shutdown),
        };
        if line.welcomed {
            pause = PAUSE_FIRST;
        }
        let waiting = shared.outbox.waiting();
        let wait = match end {
            Ok(End::Shutdown) => return,
            Ok(End::Planned(close)) => {
                tracing::info!(reason = close.reason, detail = close.detail, "the gateway ended the session");
                dice.up_to(REPLANNED_WITHIN)
            }
            Ok(End::Left(Leave { reason, detail })) => {
                tracing::info!(reason, detail, "leaving the edge");
                dice.up_to(REPLANNED_WITHIN)
            }
            Ok(End::Closed(close)) => {
                tracing::error!(reason = close.reason, detail = close.detail, waiting, "the gateway ended the session");
                next_pause(&mut pause, &mut dice)
            }
            Ok(End::PlanRefused(_)) => next_pause(&mut pause, &mut dice),
            Ok(End::Broken(problem)) => {
                tracing::warn!(problem, waiting, "the session broke");
                next_pause(&mut pause, &mut dice)
            }
            Err(problem) => {
                tracing::warn!(%problem, waiting, "no session");
                next_pause(&mut pause, &mut dice)
            }
        };
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = shutdown.cancelled() => return,
        }
        // The server may have been enrolled anew meanwhile; until that is done the old identity is tried on.
        match shared.identity() {
            Ok(anew) => tls = anew,
            Err(problem) => tracing::warn!(%problem, "going on with the identity that was read before"),
        }
    }
}

/// A session that is up sees the shutdown itself; this one ends a connect that does not end, after the Goodbye's time.
async fn cancelled_before_welcome(shutdown: &CancellationToken) {
    shutdown.cancelled().await;
    tokio::time::sleep(GOODBYE_BUDGET + Duration::from_millis(500)).await;
}

/// Full jitter: anything up to the pause, which doubles.
fn next_pause(pause: &mut Duration, dice: &mut Dice) -> Duration {
    let wait = dice.up_to(*pause);
    *pause = (*pause * 2).min(PAUSE_MAX);
    wait
}
