//! The aggregator of the demo: the whole of it, as `serve` runs it, with the cast as its inventory, which
//! whoever looks on may change.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use quorate_core::time::Moment;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::edge_watch::Resolver;
use crate::inventory::Inventory;
use crate::serve::{Running, ServeConfig, ServeError, database_in, make_data_dir, serve};
use crate::store::{Retention, Store};

/// Far more than a day of the demo leaves behind.
const RETENTION: Retention = Retention { age: Duration::from_hours(24), bytes: 256 << 20 };

/// Starts it in `directory`. The API listens on `port` of the loopback address, the gateway on a free one.
pub async fn open(
    directory: &Path,
    inventory: &Inventory,
    port: u16,
    shutdown: CancellationToken,
) -> anyhow::Result<Running> {
    let loopback = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let data_dir = directory.join("aggregator");
    declare(&data_dir, inventory).await.context("the demo's fleet cannot be stored")?;
    let config = ServeConfig {
        data_dir,
        database: None,
        listen_api: loopback(port),
        listen_gateway: loopback(0),
        gateway_names: vec![Ipv4Addr::LOCALHOST.to_string()],
        public_url: None,
        trusted_proxies: Vec::new(),
        fleet: None,
        retention: RETENTION,
        resolver: Resolver::default(),
    };
    serve(config, shutdown).await.map_err(|error| match error {
        ServeError::Listen { addr, problem, .. } if port != 0 && addr.port() == port => {
            anyhow::anyhow!("cannot listen on {addr}: {problem}; give another port with --port, or none for a free one")
        }
        error => error.into(),
    })
}

/// Puts the fleet into a database that nobody has opened yet.
async fn declare(data_dir: &Path, inventory: &Inventory) -> anyhow::Result<()> {
    make_data_dir(data_dir)?;
    let store = Store::open(&database_in(data_dir)).await?;
    store.replace_inventory(0, inventory, Clock::start(Moment::ZERO).now(), "demo").await?;
    store.close().await;
    Ok(())
}
