//! The session with the gateway: Hello, then reports one way and plans and receipts the other, until one side ends it.
//!
//! A telephone line with a pile of letters beside it: whenever the line is up, letters are read out in order, and each is
//! kept until the other side says that it has written it down. A line that breaks is dialled again, ever more patiently;
//! one that was ended by agreement at once.

use std::sync::Arc;
use std::time::Duration;

use quorate_core::edge::{Backoff, Ended, Move};
use quorate_proto::v1;
use tokio_util::sync::CancellationToken;

use self::line::Line;
use crate::edges::Edges;
use crate::gateway::GatewayError;
use crate::shared::Shared;
use crate::{clock, dice};

mod errand;
mod line;

#[cfg(test)]
pub(crate) mod testbed;
#[cfg(test)]
mod tests;

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
    /// The gateway said so: the certificate has ended.
    Expired(v1::Close),
    /// This agent said so, and goes on by another edge.
    Left(Move),
    /// This agent said so: it has a new certificate.
    Renewed,
    /// It came for a new certificate and has none.
    NotRenewed(String),
    /// This agent said so: the plan is beyond its limits, and why.
    PlanRefused(String),
    /// It broke.
    Broken(String),
}

/// Keeps a session until `shutdown`.
pub(crate) async fn run(shared: Arc<Shared>, mut edges: Edges, shutdown: CancellationToken) {
    let mut backoff = Backoff::new(dice::seed());
    let mut refused = None;
    loop {
        let shown = shared.wallet().show(shared.their_now());
        let mut line =
            Line { shared: &shared, shown: &shown, backoff: &mut backoff, refused: &mut refused, welcomed: false };
        let end = tokio::select! {
            biased;
            end = line.session(&mut edges, &shutdown) => end,
            // While connecting there is nobody to say Goodbye to.
            () = cancelled_before_welcome(&shutdown) => Ok(End::Shutdown),
        };
        let nobody = errand::learn(&shared, &shown, line.welcomed, &end);
        edges.ended(blame(&end));
        if matches!(end, Ok(End::Shutdown)) {
            break;
        }
        match nobody {
            // The cause; the rest is only how it showed.
            Some(problem) => tracing::error!(%problem, waiting = shared.outbox.waiting(), "no session"),
            None => tell(&end, shared.outbox.waiting()),
        }
        let wait = backoff.handle_ended(course(&end), clock::since_boot());
        tokio::select! {
            biased;
            () = tokio::time::sleep(wait) => {}
            () = shutdown.cancelled() => break,
        }
    }
    edges.close().await;
}

/// Whether the end was agreed on, for how soon to come back.
fn course(end: &Result<End, GatewayError>) -> Ended {
    match end {
        Ok(End::Shutdown | End::Planned(_) | End::Left(_) | End::Renewed) => Ended::Planned,
        Ok(End::Closed(_) | End::Expired(_) | End::NotRenewed(_) | End::PlanRefused(_) | End::Broken(_)) | Err(_) => {
            Ended::Error
        }
    }
}

/// The same for the edge: what the two ends say to each other is no fault of the way between them.
fn blame(end: &Result<End, GatewayError>) -> Ended {
    match end {
        Ok(End::Broken(_)) => Ended::Error,
        Ok(
            End::Shutdown
            | End::Planned(_)
            | End::Left(_)
            | End::Closed(_)
            | End::Expired(_)
            | End::Renewed
            | End::NotRenewed(_)
            | End::PlanRefused(_),
        )
        | Err(_) => Ended::Planned,
    }
}

/// One line, as loud as the end is unexpected.
fn tell(end: &Result<End, GatewayError>, waiting: usize) {
    match end {
        Ok(End::Shutdown | End::Renewed | End::PlanRefused(_)) => {}
        Ok(End::Planned(close)) => {
            tracing::info!(reason = close.reason, detail = close.detail, "the gateway ended the session");
        }
        Ok(End::Left(Move { reason, to })) => tracing::info!(%reason, %to, "going on by another edge"),
        Ok(End::Closed(close)) => {
            tracing::error!(reason = close.reason, detail = close.detail, waiting, "the gateway ended the session");
        }
        Ok(End::Expired(close)) => {
            tracing::warn!(detail = close.detail, waiting, "the certificate has ended: coming back to renew it");
        }
        Ok(End::NotRenewed(problem)) => {
            tracing::warn!(problem, waiting, "the certificate has ended and is not renewed");
        }
        Ok(End::Broken(problem)) => tracing::warn!(problem, waiting, "the session broke"),
        Err(problem) => tracing::warn!(%problem, waiting, "no session"),
    }
}

/// A session that is up sees the shutdown itself; this one ends a connect that does not end, after the Goodbye's time.
async fn cancelled_before_welcome(shutdown: &CancellationToken) {
    shutdown.cancelled().await;
    tokio::time::sleep(GOODBYE_BUDGET + Duration::from_millis(500)).await;
}
