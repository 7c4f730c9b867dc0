//! An aggregator in simulated time: what only a simulation of whole fleets needs.
//!
//! The engine, the gateway's sessions and the store are the real ones. Simulated are the wall clock, the moods of the
//! database, and the wire: a connection is any stream, and who is at its other end is taken on the network's word.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::Handle;

use crate::authority::AgentCertificate;
pub use crate::clock::simulated::set_wall;
use crate::gateway::GatewayHandle;
pub use crate::store::{Fate, Weather};
use crate::store::{OpenError, Store, StoreError, simulated};

/// Opens a store whose calls are moments, or what `weather` makes of them. The database itself runs on `database`, a runtime
/// with threads and a clock of its own.
pub fn open_store(url: &str, weather: Arc<dyn Weather>, database: Handle) -> Result<Store, OpenError> {
    simulated::open_at_once(url, weather, database)
}

/// Closes it.
pub fn close_store(store: &Store) {
    simulated::close_at_once(store);
}

/// Somebody dials the gateway from `from` and shows the certificate. Returns when the connection has ended.
pub async fn connect<S>(gateway: &GatewayHandle, stream: S, from: SocketAddr, certificate: [u8; 32])
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    gateway.connected(stream, from, certificate).await;
}

/// Lets a certificate in, as an enrolment would.
pub async fn enrolled(gateway: &GatewayHandle, server: &str, issued: &AgentCertificate) -> Result<(), StoreError> {
    gateway.enrolled(server, issued).await
}
