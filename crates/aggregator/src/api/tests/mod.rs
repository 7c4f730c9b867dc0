#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

//! The API as its readers have it: a whole aggregator on ports of its own, asked over HTTP.

mod access;
mod badges;
mod changes;
mod edge_watch;
mod edges;
mod events;
mod history;
mod listener;
mod packed;
mod reads;
mod sign_in;
mod torn;
mod verdicts;

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use prost::Message as _;
use quorate_core::outcome::{Failure, FailureKind, Operation, Outcome, Reason};
use quorate_core::time::Moment;
use quorate_core::verdict::Status;
use quorate_proto::v1;
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::edge_watch::Resolver;
use crate::engine::{Admitted, Snapshot};
use crate::inventory::Inventory;
use crate::serve::{ADMIN_TOKEN_FILE, Running, ServeConfig, ServeError, serve};
use crate::store::{NewReport, Retention, Store, Stored};

/// A whole aggregator in a folder of its own.
pub struct House {
    pub folder: TempDir,
    pub running: Running,
    pub token: String,
    shutdown: CancellationToken,
    http: reqwest::Client,
}

pub struct Answer {
    pub status: StatusCode,
    pub headers: reqwest::header::HeaderMap,
    pub text: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The word of a problem document, checked to be one.
    pub fn problem(&self) -> String {
        assert_eq!(self.header("content-type"), "application/problem+json", "{}", self.text);
        let problem = self.json();
        assert_eq!(problem["status"], self.status.as_u16());
        assert!(!problem["detail"].as_str().unwrap().is_empty());
        problem["type"].as_str().unwrap().trim_start_matches("urn:quorate:problem:").to_owned()
    }
}

fn config(folder: &Path) -> ServeConfig {
    let any: SocketAddr = "127.0.0.1:0".parse().unwrap();
    ServeConfig {
        data_dir: folder.join("data"),
        database: None,
        listen_api: any,
        listen_gateway: any,
        gateway_names: vec!["watch.example.org".to_owned()],
        public_url: None,
        trusted_proxies: Vec::new(),
        fleet: None,
        retention: Retention { age: Duration::from_hours(24), bytes: 1 << 30 },
        resolver: Resolver::default(),
    }
}

fn fleet() -> Inventory {
    let servers = ["a", "b", "c", "d", "e", "f"].into_iter().enumerate().map(|(n, id)| {
        let country = if ["d", "e"].contains(&id) { "RU" } else { "NL" };
        json!({"id": id, "address": format!("198.51.{n}.7"), "country": country})
    });
    let inventory = json!({
        "policy": {"sustain_for_ms": 0},
        "servers": servers.collect::<Vec<_>>(),
        "routes": [{"id": "all", "entry_points": ["a/tls", "b/tls", "c/tls", "d/tls", "e/tls", "f/tls"]}],
    });
    serde_json::from_value(inventory).unwrap()
}

const REACHED: Outcome = Outcome::Reached { latency: Duration::from_millis(12) };
const FAILED: Outcome = Outcome::Failed(Failure {
    operation: Operation::TlsHandshake,
    kind: FailureKind::ConnectionReset,
    after: Duration::from_millis(40),
    bytes: 0,
});

impl House {
    pub async fn open() -> Self {
        Self::open_with(|_| {}).await.unwrap()
    }

    pub async fn open_with(edit: impl FnOnce(&mut ServeConfig)) -> Result<Self, ServeError> {
        let folder = tempfile::tempdir().unwrap();
        let mut config = config(folder.path());
        edit(&mut config);
        let shutdown = CancellationToken::new();
        let data_dir = config.data_dir.clone();
        let running = serve(config, shutdown.clone()).await?;
        let token = std::fs::read_to_string(data_dir.join(ADMIN_TOKEN_FILE)).unwrap().trim().to_owned();
        let tls = {
            let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
            let builder = rustls::ClientConfig::builder_with_provider(provider);
            let builder = builder.with_safe_default_protocol_versions().unwrap();
            builder.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth()
        };
        let http = reqwest::Client::builder().tls_backend_preconfigured(tls).no_proxy().build().unwrap();
        Ok(Self { folder, running, token, shutdown, http })
    }

    /// Six servers in two countries and a route over all; a series is three failures, however quick.
    pub async fn with_fleet() -> Self {
        Self::with(fleet(), |_| {}).await
    }

    /// An inventory that is there from the start, because a plan that follows another one waits a while.
    pub async fn with(inventory: Inventory, edit: impl FnOnce(&mut ServeConfig)) -> Self {
        Self::with_prepared(inventory, async |_| {}, edit).await
    }

    /// The same, and more that is in the store from the start.
    pub async fn with_prepared(
        inventory: Inventory,
        prepare: impl AsyncFnOnce(&Store),
        edit: impl FnOnce(&mut ServeConfig),
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let store = Store::open(&format!("sqlite:{}", data.join("quorate.db").display())).await.unwrap();
        let clock = Clock::start(Moment::ZERO);
        store.replace_inventory(0, &inventory, clock.now(), "test").await.unwrap();
        prepare(&store).await;
        store.close().await;
        let opened = Self::open_with(move |config| {
            config.data_dir = data;
            edit(config);
        });
        Self { folder, ..opened.await.unwrap() }
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("http://{}{path}", self.running.api_addr))
    }

    pub async fn answer(&self, request: RequestBuilder) -> Answer {
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        Answer { status, headers, text: response.text().await.unwrap() }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.answer(self.request(Method::GET, path).bearer_auth(&self.token)).await
    }

    pub async fn send(&self, method: Method, path: &str, body: &Value) -> Answer {
        self.answer(self.request(method, path).bearer_auth(&self.token).json(body)).await
    }

    pub async fn act(&self, method: Method, path: &str) -> Answer {
        self.answer(self.request(method, path).bearer_auth(&self.token)).await
    }

    /// A token of that scope.
    pub async fn token(&self, scope: &str) -> String {
        let made = self.send(Method::POST, "/api/v1/tokens", &json!({"name": scope, "scope": scope})).await;
        assert_eq!(made.status, 201, "{}", made.text);
        made.json()["token"].as_str().unwrap().to_owned()
    }

    /// A report of every server, as the gateway hands it on, in which the servers named fail on the entry points `failing`.
    pub async fn round(&self, sequence: u64, blind: &[&str], failing: &str) {
        for witness in ["a", "b", "c", "d", "e", "f"] {
            let failing = if blind.contains(&witness) { failing } else { "" };
            self.report(witness, sequence, failing).await;
        }
    }

    async fn report(&self, witness: &str, sequence: u64, failing: &str) {
        let metrics = v1::Metrics { cpu_percent: Some(12.5), ..v1::Metrics::default() };
        let self_check =
            v1::SelfCheck { health: v1::Health::Ok.into(), metrics: Some(metrics), ..v1::SelfCheck::default() };
        let fails = |target: &v1::Target| failing.split_whitespace().any(|id| id == target.entry_point);
        let outcome = |target: &v1::Target| if fails(target) { FAILED } else { REACHED };
        self.report_with(witness, sequence, self_check, outcome).await;
    }

    /// A report of an agent that was stopped while its round was due; returns once readers see it.
    pub async fn stalled(&self, witness: &str, sequence: u64) {
        const STALLED: Outcome = Outcome::Inconclusive(Reason::Stalled);
        let self_check = v1::SelfCheck { health: v1::Health::Ok.into(), ..v1::SelfCheck::default() };
        self.report_with(witness, sequence, self_check, |_| STALLED).await;
        let is_last = |snapshot: &std::sync::Arc<Snapshot>| {
            let ix = snapshot.fleet.find_server(witness).unwrap();
            let last = snapshot.last_reports[ix.at()].as_ref().unwrap();
            last.outcomes.iter().all(|(_, outcome)| *outcome == STALLED)
        };
        let mut snapshots = self.running.engine.watch();
        let seen = snapshots.wait_for(is_last);
        tokio::time::timeout(Duration::from_secs(10), seen).await.expect("it is seen").unwrap();
    }

    /// A report in which a server says that a service of its own and its entry point fail.
    pub async fn unwell(&self, server: &str, sequence: u64, service: &str) {
        let failed = v1::Finding::Failed.into();
        let service = v1::Service { name: service.to_owned(), finding: failed, detail: "not active".to_owned() };
        let own = v1::OwnEntryPoint {
            entry_point: format!("{server}/tls"),
            finding: failed,
            detail: "connect: connection_refused".to_owned(),
            ..v1::OwnEntryPoint::default()
        };
        let self_check = v1::SelfCheck {
            health: v1::Health::Down.into(),
            services: vec![service],
            own: vec![own],
            ..v1::SelfCheck::default()
        };
        self.report_with(server, sequence, self_check, |_| REACHED).await;
    }

    async fn report_with(
        &self,
        witness: &str,
        sequence: u64,
        self_check: v1::SelfCheck,
        outcome: impl Fn(&v1::Target) -> Outcome,
    ) {
        let Running { engine, store, .. } = &self.running;
        let planned = |plans: &std::sync::Arc<crate::engine::Plans>| {
            plans.by_server.get(witness).is_some_and(|plan| plan.targets.len() == 5)
        };
        let mut plans = engine.plans();
        let plan = plans.wait_for(planned).await.unwrap().by_server[witness].clone();
        let outcomes: Vec<Outcome> = plan.targets.iter().map(outcome).collect();
        let report = v1::Report {
            outbox_id: b"outbox".to_vec(),
            sequence,
            plan_version: plan.version,
            outcomes: quorate_proto::outcomes::pack(&outcomes),
            self_check: Some(self_check),
            ..v1::Report::default()
        };
        let now = Clock::start(store.latest_moment().await.unwrap()).now();
        let payload = report.encode_to_vec();
        let new = NewReport {
            server: witness,
            outbox: &report.outbox_id,
            sequence,
            received_at: now,
            observed_at: now,
            payload: &payload,
        };
        let Stored::New(id) = store.store_report(new).await.unwrap() else { panic!("a new report") };
        let admitted = Admitted {
            id,
            server: witness.to_owned(),
            received_at: now,
            observed_at: now,
            report,
            payload: Bytes::from(payload),
        };
        engine.admit(admitted).await.unwrap();
    }

    /// Waits until `server` has `status`.
    pub async fn wait_for(&self, server: &str, status: Status) {
        let mut snapshots = self.running.engine.watch();
        let found = snapshots.wait_for(|snapshot| {
            let Some(ix) = snapshot.fleet.find_server(server) else { return false };
            snapshot.verdicts.servers.get(ix.at()).is_some_and(|verdict| verdict.status == status)
        });
        tokio::time::timeout(Duration::from_secs(10), found).await.expect("the status comes").unwrap();
    }

    pub async fn close(self) {
        end(self.running, &self.shutdown).await;
    }

    /// The same aggregator after a restart, on another port.
    pub async fn reopen(self) -> Self {
        end(self.running, &self.shutdown).await;
        let shutdown = CancellationToken::new();
        let running = serve(config(self.folder.path()), shutdown.clone()).await.unwrap();
        Self { running, shutdown, ..self }
    }
}

async fn end(running: Running, shutdown: &CancellationToken) {
    shutdown.cancel();
    tokio::time::timeout(Duration::from_secs(10), running.ended()).await.expect("it ends within 10 s").unwrap();
}
