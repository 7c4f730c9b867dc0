//! What `cargo xtask bench web` asks: a whole aggregator over a large fleet that does not exist. Inventory, store, engine and
//! API are the real ones. Reports are made up here, put into the archive and folded as the gateway does it; there are no agents,
//! no sessions and no sockets of theirs. It says where it listens in one line of JSON, goes on reporting, and ends with its
//! standard input.
//!
//! `crowd SERVERS [dense]`: with `dense` everybody knocks on everybody, which a fleet of that size is not told to do.

#![allow(clippy::print_stdout, reason = "its address is what it is asked for")]

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use bytes::Bytes;
use prost::Message as _;
use quorate_aggregator::clock::Clock;
use quorate_aggregator::edge_watch::Resolver;
use quorate_aggregator::engine::Admitted;
use quorate_aggregator::inventory::{IntentEntry, Inventory, PolicySettings, RouteEntry, ServerEntry};
use quorate_aggregator::serve::{Running, ServeConfig, serve};
use quorate_aggregator::store::{NewReport, Retention, Store, Stored};
use quorate_core::outcome::{Failure, FailureKind, Operation, Outcome};
use quorate_core::time::Moment;
use quorate_proto::v1;
use tokio_util::sync::CancellationToken;

const COUNTRIES: [&str; 20] = [
    "AM", "AT", "BG", "CZ", "DE", "EE", "ES", "FI", "FR", "GB", "GE", "KZ", "LV", "MD", "NL", "PL", "RO", "RU", "SE",
    "TR",
];
/// Handshakes so close that a thousand knocks fit into a round.
const DENSE_SPACING_MS: u64 = 50;
/// A report comes this often once all have reported: a thousand servers with a round of a minute.
const REPORT_EVERY: Duration = Duration::from_millis(60);

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (count, dense) = match arguments.as_slice() {
        [count] => (count, false),
        [count, word] if word == "dense" => (count, true),
        _ => bail!("crowd SERVERS [dense]"),
    };
    let count: usize = count.parse().context("SERVERS is a number")?;
    let folder = tempfile::tempdir()?;
    let data_dir = folder.path().join("data");
    let database = format!("sqlite:{}", data_dir.join("quorate.db").display());
    let store = Store::open(&database).await?;
    store.replace_inventory(0, &inventory(count, dense), Clock::start(Moment::ZERO).now(), "bench").await?;
    store.close().await;

    let loopback = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let shutdown = CancellationToken::new();
    let config = ServeConfig {
        data_dir,
        database: None,
        listen_api: loopback,
        listen_gateway: loopback,
        gateway_names: vec!["watch.example.org".to_owned()],
        public_url: None,
        trusted_proxies: Vec::new(),
        fleet: None,
        retention: Retention { age: Duration::from_hours(24), bytes: 1 << 30 },
        resolver: Resolver::default(),
    };
    let running = serve(config, shutdown.clone()).await?;
    let mut crowd = Crowd { running: &running, clock: Clock::start(Moment::ZERO), sequence: 0 };
    for server in 0..count {
        crowd.report(server).await?;
    }
    let token = running.admin_token.clone().unwrap_or_default();
    println!("{}", serde_json::json!({"url": format!("http://{}/", running.api_addr), "token": token}));

    let (ended, mut end) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        ended.send(())
    });
    let mut ticks = tokio::time::interval(REPORT_EVERY);
    for server in (0..count).cycle() {
        tokio::select! {
            _ = &mut end => break,
            _ = ticks.tick() => crowd.report(server).await?,
        }
    }
    shutdown.cancel();
    running.ended().await?;
    Ok(())
}

fn inventory(count: usize, dense: bool) -> Inventory {
    let server = |n: usize| ServerEntry {
        id: id(n),
        address: format!("198.{}.{}.{}", 18 + n / 62_500, n / 250 % 250, n % 250 + 1),
        country: Some(country(n).to_owned()),
        site: Some(format!("site-{}", n / 2)),
        verifier: false,
        intent: IntentEntry::Active,
        entry_points: Vec::new(),
    };
    let spacing = PolicySettings { min_spacing_ms: Some(DENSE_SPACING_MS), ..PolicySettings::default() };
    Inventory {
        policy: if dense { spacing } else { PolicySettings::default() },
        servers: (0..count).map(server).collect(),
        routes: vec![RouteEntry {
            id: "world".to_owned(),
            entry_points: (0..count.min(100)).map(|n| format!("{}/tls", id(n))).collect(),
            audience: Vec::new(),
        }],
        edges: Vec::new(),
    }
}

fn id(n: usize) -> String {
    format!("{}-{n:04}", country(n).to_lowercase())
}

fn country(n: usize) -> &'static str {
    COUNTRIES[n % COUNTRIES.len()]
}

/// Everybody's reports, one after the other.
struct Crowd<'a> {
    running: &'a Running,
    clock: Clock,
    sequence: u64,
}

impl Crowd<'_> {
    /// A round of one server: of what it knocks on, each seventh entry point of another country does not answer in turn.
    async fn report(&mut self, n: usize) -> Result<()> {
        let server = id(n);
        self.sequence += 1;
        let plan = self.running.engine.plans().borrow().by_server.get(&server).cloned();
        let plan = plan.with_context(|| format!("{server} has no plan"))?;
        let round = self.sequence;
        let outcome = |(at, target): (usize, &v1::Target)| {
            let is_home = target.entry_point.starts_with(&server[..2]);
            if !is_home && (at + n).is_multiple_of(7) && !round.is_multiple_of(3) { failed() } else { reached(at + n) }
        };
        let outcomes: Vec<Outcome> = plan.targets.iter().enumerate().map(outcome).collect();
        let cpu_percent = Some(f32::from((n % 90) as u8));
        let report = v1::Report {
            outbox_id: b"outbox".to_vec(),
            sequence: self.sequence,
            plan_version: plan.version,
            outcomes: quorate_proto::outcomes::pack(&outcomes),
            self_check: Some(v1::SelfCheck {
                health: v1::Health::Ok.into(),
                metrics: Some(v1::Metrics { cpu_percent, ..v1::Metrics::default() }),
                ..v1::SelfCheck::default()
            }),
            ..v1::Report::default()
        };
        let (payload, now) = (report.encode_to_vec(), self.clock.now());
        let stored = self.running.store.store_report(NewReport {
            server: &server,
            outbox: &report.outbox_id,
            sequence: self.sequence,
            received_at: now,
            observed_at: now,
            payload: &payload,
        });
        let Stored::New(id) = stored.await? else { bail!("{server} has reported that already") };
        let payload = Bytes::from(payload);
        let admitted = Admitted { id, server, received_at: now, observed_at: now, report, payload };
        self.running.engine.admit(admitted).await.context("the engine has ended")?;
        Ok(())
    }
}

fn reached(seed: usize) -> Outcome {
    Outcome::Reached { latency: Duration::from_millis(8 + seed as u64 * 7 % 240) }
}

fn failed() -> Outcome {
    Outcome::Failed(Failure {
        operation: Operation::Connect,
        kind: FailureKind::Timeout,
        after: Duration::from_secs(5),
        bytes: 0,
    })
}
