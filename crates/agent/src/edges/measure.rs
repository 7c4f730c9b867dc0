//! How far the gateway is by way of an address: a full handshake and a Hello with purpose `probe`, answered and closed. It is
//! no session and no sign of life, and nothing less would do: an edge whose gateway is dead still accepts.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use quorate_proto::v1;
use rustls::ClientConfig;
use tokio::time::timeout;

use crate::gateway::{Answer, Gateway, Times, greet};

/// For one connection, from the first packet to Welcome: three round trips over half of the globe and the loss of a
/// packet, with air.
const PROBE_BUDGET: Duration = Duration::from_secs(3);
/// Time for the gateway to hang up after its Welcome: it does so at once.
const CLOSE_BUDGET: Duration = Duration::from_millis(500);

/// Measures all candidates at once, each with `samples` connections one after the other. The least time counts, step by
/// step: what a spike adds says nothing of the way. The error is what went wrong last where no connection came through.
pub(super) async fn measure(
    gateway: &Gateway,
    tls: &Arc<ClientConfig>,
    candidates: impl IntoIterator<Item = SocketAddr>,
    samples: u32,
) -> BTreeMap<SocketAddr, Result<Times, String>> {
    let each = candidates.into_iter().map(|address| async move {
        let mut least = Err("not tried".to_owned());
        for _ in 0..samples {
            least = match (least, probe(gateway, tls, address).await) {
                (Ok(least), Ok(sample)) => Ok(at_least(least, sample)),
                (Ok(least), Err(_)) => Ok(least),
                (Err(_), sample) => sample,
            };
        }
        (address, least)
    });
    join_all(each).await.into_iter().collect()
}

fn at_least(one: Times, other: Times) -> Times {
    Times { tcp: one.tcp.min(other.tcp), tls: one.tls.min(other.tls) }
}

/// One connection, up to the gateway's Welcome.
async fn probe(gateway: &Gateway, tls: &Arc<ClientConfig>, address: SocketAddr) -> Result<Times, String> {
    let hello = v1::Hello {
        agent_version: env!("CARGO_PKG_VERSION").to_owned(),
        purpose: v1::Purpose::Probe.into(),
        edge: address.to_string(),
        ..v1::Hello::default()
    };
    let asked = async {
        let dialled = gateway.dial(address, tls).await.map_err(|problem| problem.to_string())?;
        greet(dialled, hello).await
    };
    match timeout(PROBE_BUDGET, asked).await {
        Ok(Ok(Answer::Welcome(mut opened))) => {
            drop(opened.outbound);
            let _ = timeout(CLOSE_BUDGET, async { while let Ok(Some(_)) = opened.inbound.message().await {} }).await;
            Ok(opened.times)
        }
        // The gateway's own trouble, but it came all the way.
        Ok(Ok(Answer::Close(close))) => Err(format!("the gateway said {}: {}", close.reason, close.detail)),
        Ok(Err(problem)) => Err(problem),
        Err(_) => Err(format!("no Welcome within {PROBE_BUDGET:?}")),
    }
}
