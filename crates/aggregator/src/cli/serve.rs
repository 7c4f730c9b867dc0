//! `serve`: runs the aggregator until it is told to end.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;

use super::client::Reach;
use super::{End, Failure};
use crate::api::PublicUrl;
use crate::edge_watch::Resolver;
use crate::inventory::Network;
use crate::serve::{ADMIN_TOKEN_FILE, Running, ServeConfig, serve};
use crate::store::Retention;

/// What the aggregator is told.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Database, `sqlite:PATH` or `postgres://USER@HOST/DATABASE`; a SQLite file in --data-dir when absent
    #[arg(long, env = "QUORATE_DATABASE", hide_env_values = true, value_name = "URL")]
    database: Option<String>,
    /// Where the API listens
    #[arg(long, default_value = "127.0.0.1:8440", value_name = "ADDR")]
    listen_api: SocketAddr,
    /// Where agents come in
    #[arg(long, default_value = "0.0.0.0:8443", value_name = "ADDR")]
    listen_gateway: SocketAddr,
    /// What agents dial, HOST or HOST:PORT (repeat for more); this machine's name when absent
    #[arg(long = "gateway-name", value_name = "NAME")]
    gateway_names: Vec<String>,
    /// What people type to get to the pages, such as `https://watch.example.org` or `https://example.org/quorate`: for cookies
    /// and for links in badges and messages
    #[arg(long, value_name = "URL")]
    public_url: Option<PublicUrl>,
    /// A reverse proxy (address or network, repeat for more) whose X-Forwarded-For says where requests come from; it must
    /// set that header itself
    #[arg(long = "trusted-proxy", value_name = "ADDR")]
    trusted_proxies: Vec<Network>,
    /// A TOML file that declares servers, routes and policy; read again at SIGHUP
    #[arg(long, value_name = "FILE")]
    fleet: Option<PathBuf>,
    /// Reports are kept for so many days
    #[arg(long, default_value_t = 14, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=3650))]
    keep_days: u32,
    /// Reports are kept up to so many MiB
    #[arg(long, default_value_t = 4096, value_name = "MIB", value_parser = clap::value_parser!(u32).range(16..))]
    keep_mib: u32,
    /// Print the first admin token also where standard output is no terminal
    #[arg(long)]
    show_token: bool,
}

/// Who sees what the process prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Audience {
    /// A person at a terminal, or who asked for it.
    Operator,
    /// A journal, a file: many may read it, and for long.
    Log,
}

pub async fn run(args: &ServeArgs, reach: &Reach) -> Result<End, Failure> {
    log();
    let gateway_names = match args.gateway_names.as_slice() {
        [] => vec![own_name(args.listen_gateway)],
        names => names.to_vec(),
    };
    let day = Duration::from_hours(24);
    let config = ServeConfig {
        data_dir: reach.data_dir.clone(),
        database: args.database.clone(),
        listen_api: args.listen_api,
        listen_gateway: args.listen_gateway,
        gateway_names,
        public_url: args.public_url.clone(),
        trusted_proxies: args.trusted_proxies.clone(),
        fleet: args.fleet.clone(),
        retention: Retention { age: day * args.keep_days, bytes: u64::from(args.keep_mib) << 20 },
        resolver: Resolver::default(),
    };
    let shutdown = CancellationToken::new();
    end_on_signals(&shutdown)?;
    let running = serve(config, shutdown).await.map_err(|error| Failure::new(error.to_string()))?;
    let at_terminal = std::io::IsTerminal::is_terminal(&std::io::stdout());
    let audience = if at_terminal || args.show_token { Audience::Operator } else { Audience::Log };
    greet(&running, &reach.data_dir, audience);
    running.ended().await.map_err(|error| Failure::new(error.to_string()))?;
    Ok(End::Fine)
}

/// Says where everything is. The fleet is watched whether or not somebody reads it.
fn greet(running: &Running, data_dir: &Path, audience: Audience) {
    let mut out = anstream::stdout();
    for line in greeting(running, data_dir, audience) {
        drop(writeln!(out, "{line}"));
    }
}

fn greeting(running: &Running, data_dir: &Path, audience: Audience) -> Vec<String> {
    let file = data_dir.join(ADMIN_TOKEN_FILE).display().to_string();
    let token = match (&running.admin_token, audience) {
        (Some(token), Audience::Operator) => {
            vec![
                format!("Admin token, shown this once: {token}"),
                format!("It is in {file} too, for the command line."),
            ]
        }
        (Some(_), Audience::Log) => vec![format!(
            "The first admin token is in {file}, readable by this user alone; the command line finds it there."
        )],
        (None, _) => Vec::new(),
    };
    let (api, gateway) = (running.api_addr, running.gateway_addr);
    let places =
        format!("API and page: http://{api}/  Gateway: {gateway}, which agents dial as {}", running.gateway_name);
    token.into_iter().chain([places]).collect()
}

/// Log lines on standard error; `RUST_LOG` chooses which.
pub fn log() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info,sqlx=warn"));
    let ansi = std::io::IsTerminal::is_terminal(&std::io::stderr()) && std::env::var_os("NO_COLOR").is_none();
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(ansi);
    // A second call in one process keeps the first one's choice.
    let _ = subscriber.try_init();
}

/// SIGTERM and SIGINT end it in order; a second SIGINT at once.
fn end_on_signals(shutdown: &CancellationToken) -> Result<(), Failure> {
    let refused = |error| Failure::new(format!("cannot listen to signals: {error}"));
    let mut terminate = signal(SignalKind::terminate()).map_err(refused)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(refused)?;
    let shutdown = shutdown.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        shutdown.cancel();
        interrupt.recv().await;
        std::process::exit(130);
    });
    Ok(())
}

/// How agents may reach this machine when nobody says: the address that is listened on, else the machine's name.
fn own_name(listen: SocketAddr) -> String {
    if !listen.ip().is_unspecified() {
        return listen.ip().to_string();
    }
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = match name.trim() {
        "" => "localhost",
        name => name,
    };
    tracing::info!("agents are told to dial '{name}': give --gateway-name if they know this machine by another name");
    name.to_owned()
}
