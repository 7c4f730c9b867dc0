//! Messages: tells people what changed, over webhooks, mail, Telegram and Alertmanager.
//!
//! `quorate_core::notify` decides what is told and when. Here [`scene`] reads off what stands, [`words`] puts it into
//! sentences, the teller stores what each channel is told together with its message, and a courier for each channel carries
//! the messages. Neither holds up the engine, and what is stored survives the process.

pub mod book;
pub mod carrier;
pub mod channel;
mod courier;
mod happened;
mod limits;
pub mod message;
mod names;
pub mod quiet;
pub mod rules;
pub mod scene;
pub mod secret;
mod teller;
pub mod test_message;
mod text;
pub mod words;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::edge_watch::Pictures;
use crate::engine::EngineHandle;
use crate::gateway::GatewayHandle;
use crate::store::Store;
use book::Books;
use teller::Teller;

/// What telling takes.
#[derive(Clone)]
pub struct NotifyConfig {
    /// What was found.
    pub engine: EngineHandle,
    /// What is remembered.
    pub store: Store,
    /// What is known of the edges.
    pub edges: Pictures,
    /// Who knows which certificates are late.
    pub gateway: Option<GatewayHandle>,
    /// What time it is.
    pub clock: Clock,
    /// What people type to reach the page, for links.
    pub public_url: Option<Arc<str>>,
}

/// Tells until `stop`.
pub async fn run(config: NotifyConfig, books: Books, stop: CancellationToken) {
    tokio::select! {
        () = Teller::new(config, books).run() => {}
        () = stop.cancelled() => {}
    }
}
