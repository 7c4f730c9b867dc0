//! Renews the certificate over the gateway's line: asks when its time has come and keeps the answer.
//!
//! Nothing that goes wrong here ends a session. The time is the aggregator's, as its last Welcome told it and the time
//! since boot carries it on: a wrong wall clock neither hurries a renewal nor puts one off.

use std::time::Duration;

use quorate_proto::v1;

use crate::clock;
use crate::shared::Shared;

/// Longest sleep: what the timer sleeps through, like a suspended machine's hours, is noticed after this.
const LOOK_EVERY: Duration = Duration::from_hours(1);

/// A request for the next certificate, once it is time.
pub(crate) async fn due(shared: &Shared) -> v1::Renew {
    loop {
        let now = clock::since_boot();
        let wait = shared.their_now().map_or(LOOK_EVERY, |their_now| shared.wallet().asks_in(their_now, now));
        if !wait.is_zero() {
            tokio::time::sleep(wait.min(LOOK_EVERY)).await;
            continue;
        }
        let asked = shared.wallet().ask(now);
        match asked {
            Ok(renew) => {
                tracing::info!("asking for the next certificate");
                return renew;
            }
            Err(problem) => tracing::warn!(problem, "the next certificate cannot be asked for: trying again later"),
        }
    }
}

/// Keeps an answer: from here on there is a new certificate to come back with. The error says why there is none.
pub(crate) fn keep(shared: &Shared, answer: &v1::Renewed) -> Result<(), String> {
    let until = shared.wallet().receive(answer, shared.their_now())?;
    tracing::info!(until, "a new certificate: coming back with it");
    Ok(())
}
