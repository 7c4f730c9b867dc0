//! How far the gateway is by way of an address: a full handshake and a Hello with purpose `probe`, answered and closed. It is
//! no session and no sign of life, and nothing less would do: an edge whose gateway is dead still accepts.

use std::net::IpAddr;
use std::time::Duration;

use futures_util::future::join_all;
use quorate_core::edge::{PROBE_BUDGET, Times, best_of};
use quorate_proto::v1;
use tokio::time::timeout;

use crate::gateway::{Answer, CONNECT_BUDGET, Credentials, Gateway, greet};

/// Time for the gateway to hang up after its Welcome: it does so at once.
const CLOSE_BUDGET: Duration = Duration::from_millis(500);

/// What came of trying an address: the least times, or what went wrong last where no handshake was completed.
pub(crate) type Tried = (IpAddr, Result<Times, String>);

/// Tries all addresses at once, each with `samples` handshakes one after the other.
pub(crate) async fn measure(
    gateway: &Gateway,
    credentials: &Credentials,
    addresses: &[IpAddr],
    samples: usize,
) -> Vec<Tried> {
    let each = addresses.iter().map(|address| async move {
        let mut taken = Vec::with_capacity(samples);
        let mut problem = String::new();
        for _ in 0..samples {
            let sample = probe(gateway, credentials, *address).await;
            taken.push(sample.map_err(|error| problem = error).ok());
        }
        (*address, best_of(&taken).ok_or(problem))
    });
    join_all(each).await
}

/// One connection, up to the gateway's Welcome.
async fn probe(gateway: &Gateway, credentials: &Credentials, address: IpAddr) -> Result<Times, String> {
    let hello = v1::Hello {
        agent_version: env!("CARGO_PKG_VERSION").to_owned(),
        purpose: v1::Purpose::Probe.into(),
        ..v1::Hello::default()
    };
    let asked = async {
        let dialled =
            gateway.dial(address, CONNECT_BUDGET, credentials).await.map_err(|problem| problem.to_string())?;
        greet(dialled, hello).await
    };
    match timeout(PROBE_BUDGET, asked).await {
        Ok(Ok(Answer::Welcome(mut opened))) => {
            drop(opened.outbound);
            let _ = timeout(CLOSE_BUDGET, async { while let Ok(Some(_)) = opened.inbound.message().await {} }).await;
            Ok(opened.times)
        }
        // The way is good, but it says nothing: what closes this edge's probe closes every other's.
        Ok(Ok(Answer::Close(close))) => Err(format!("the gateway said {}: {}", close.reason, close.detail)),
        Ok(Err(problem)) => Err(problem),
        Err(_) => Err(format!("no Welcome within {PROBE_BUDGET:?}")),
    }
}
