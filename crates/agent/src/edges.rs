//! Which address of the gateway's name a session goes by.
//!
//! (placeholder header)

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use quorate_proto::v1;
use rustls::ClientConfig;
use tokio::time::timeout;

use crate::gateway::{Answer, Gateway, GatewayError, greet};

mod measure;
mod race;

#[cfg(test)]
pub(crate) mod testbed;

/// Time for Welcome: the gateway answers from memory and one row.
const WELCOME_BUDGET: Duration = Duration::from_secs(10);

/// Why a live session is ended from this side, to go on by another edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Leave {
    pub(crate) reason: &'static str,
    pub(crate) detail: String,
}

#[derive(Debug)]
pub(crate) struct Edges {
    gateway: Gateway,
}

impl Edges {
    pub(crate) fn new(gateway: Gateway) -> Self {
        Self { gateway }
    }

    pub(crate) async fn open(&mut self, tls: &Arc<ClientConfig>, hello: &v1::Hello) -> Result<Answer, GatewayError> {
        self.in_turn(tls, hello).await
    }

    pub(crate) async fn watch(&mut self, _tls: &Arc<ClientConfig>, _address: SocketAddr) -> Leave {
        std::future::pending().await
    }

    /// As any client does it.
    async fn in_turn(&self, tls: &Arc<ClientConfig>, hello: &v1::Hello) -> Result<Answer, GatewayError> {
        let dialled = self.gateway.connect(tls).await?;
        let hello = v1::Hello { edge: dialled.address.to_string(), ..hello.clone() };
        let answer = timeout(WELCOME_BUDGET, greet(dialled, hello)).await;
        answer
            .unwrap_or_else(|_| Err(format!("no Welcome within {WELCOME_BUDGET:?}")))
            .map_err(|problem| GatewayError::Hello { gateway: self.gateway.written().to_owned(), problem })
    }
}
