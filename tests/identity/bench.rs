//! An aggregator, its relay, and servers whose agents hold certificates of any age.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use base64::Engine as _;
use quorate_agent::{AgentConfig, EnrollError, EnrollRequest, Enrolled, RunError};
use quorate_aggregator::authority::{AgentCertificate as Certificate, Authority, KeyRequest};
use quorate_aggregator::clock;
use quorate_aggregator::edge_watch::Resolver;
use quorate_aggregator::serve::{Running, ServeConfig, serve};
use quorate_aggregator::store::{
    AgentCertificate, CertificateState, EventQuery, NewCertificate, Retention, Session, Store,
};
use quorate_core::time::Moment;
use quorate_tests::http;
use quorate_tests::machine::workspace_binary;
use quorate_tests::process::{Process, Spawn};
use quorate_tests::wall;
use rcgen::{CertificateParams, KeyPair};
use serde_json::Value;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tracing::subscriber::DefaultGuard;

use crate::relay::{Line, Relay};

pub const DAY: Duration = Duration::from_hours(24);
/// Longer than anything here takes, short enough to tell of a hang.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// The server that all tests are about.
pub const SERVER: &str = "nl-1";
/// The agent's file with the identity in use.
pub const ACTIVE: &str = "identity.pem";
/// The one beside it, from a renewal to its first use.
pub const PENDING: &str = "identity.pending.pem";

/// A directory with an authority and a database, before anybody runs on it.
pub struct Ground {
    folder: tempfile::TempDir,
    authority: Authority,
    store: Store,
}

/// A running aggregator and the line to it.
pub struct Bench {
    pub relay: Relay,
    running: Running,
    shutdown: CancellationToken,
    folder: tempfile::TempDir,
}

/// A running agent.
pub struct Agent {
    shutdown: CancellationToken,
    task: JoinHandle<Result<(), RunError>>,
}

impl Ground {
    pub async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let authority = Authority::open(&data).unwrap();
        let store = Store::open(&database(&data)).await.unwrap();
        Self { folder, authority, store }
    }

    /// An enrolled server whose certificate was issued that long ago, and has been in use since.
    pub async fn with_agent(self, age: Duration) -> Self {
        let certificate = self.certificate(&self.agent_dir().join(ACTIVE), clock::wall().before(age));
        let Certificate { fingerprint, der, lifetime } = certificate;
        let new = NewCertificate { fingerprint, server: SERVER, der: &der, lifetime };
        self.store.add_certificate(&new).await.unwrap();
        assert!(self.store.activate_certificate(&fingerprint).await.unwrap());
        self
    }

    /// A new certificate that the gateway has never heard of, complete in the agent's directory.
    pub fn with_unknown_pending(self) -> Self {
        self.certificate(&self.agent_dir().join(PENDING), clock::wall());
        self
    }

    /// Writes key, certificate and authority, as an agent keeps them.
    fn certificate(&self, path: &Path, at: Moment) -> Certificate {
        let key = KeyPair::generate().unwrap();
        let request = CertificateParams::default().serialize_request(&key).unwrap();
        let request = KeyRequest::from_der(request.der()).unwrap();
        let certificate = self.authority.issue_agent(SERVER, &request, at).unwrap();
        let text = [key.serialize_pem(), pem(&certificate.der), pem(self.authority.certificate())].concat();
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        certificate
    }

    fn agent_dir(&self) -> PathBuf {
        self.folder.path().join("agent")
    }

    pub async fn serve(self, line: Line) -> Bench {
        let Self { folder, store, .. } = self;
        let inventory = serde_json::json!({"servers": [{"id": SERVER, "address": "198.51.100.7"}]});
        store.replace_inventory(0, &serde_json::from_value(inventory).unwrap(), clock::wall(), "test").await.unwrap();
        store.close().await;
        let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let config = ServeConfig {
            data_dir: folder.path().join("data"),
            database: None,
            listen_api: any,
            listen_gateway: any,
            gateway_names: vec![Ipv4Addr::LOCALHOST.to_string()],
            public_url: None,
            trusted_proxies: Vec::new(),
            fleet: None,
            retention: Retention { age: DAY, bytes: 1 << 30 },
            resolver: Resolver::default(),
        };
        let shutdown = CancellationToken::new();
        let running = serve(config, shutdown.clone()).await.unwrap();
        let relay = Relay::start(running.gateway_addr, line).await;
        Bench { relay, running, shutdown, folder }
    }
}

impl Bench {
    pub fn agent_dir(&self) -> PathBuf {
        self.folder.path().join("agent")
    }

    /// Starts an agent as a process of its own, whose wall clock is off.
    pub fn start_agent_off_by_hours(&self, hours: i64) -> Process {
        let file = self.folder.path().join("agent.toml");
        let text = format!("gateway = \"{}\"\ndata_dir = \"{}\"\n", self.relay.addr, self.agent_dir().display());
        std::fs::write(&file, text).unwrap();
        let mut command = Command::new(workspace_binary("quorate-agent"));
        command.arg("run").arg("--config").arg(file).envs(wall::off_by_hours(hours));
        let log = self.folder.path().join("agent.log");
        Spawn { name: format!("an agent {hours} h off"), log, command }.start()
    }

    pub fn start_agent(&self) -> Agent {
        let config = AgentConfig::new(self.relay.addr.to_string(), self.agent_dir());
        let shutdown = CancellationToken::new();
        Agent { task: tokio::spawn(quorate_agent::run(config, shutdown.clone())), shutdown }
    }

    /// Enrols a machine whose agent lives in `dir`.
    pub async fn enrol(&self, dir: &Path, token: &str) -> Result<Enrolled, EnrollError> {
        let request = EnrollRequest {
            gateway: self.relay.addr.to_string(),
            token: token.to_owned(),
            data_dir: dir.to_owned(),
            source_addresses: Vec::new(),
        };
        quorate_agent::enroll(request).await
    }

    pub async fn token(&self) -> String {
        self.running.gateway.mint_enrolment(SERVER).await.unwrap()
    }

    pub async fn revoke(&self) {
        self.running.gateway.revoke(SERVER).await.unwrap();
    }

    /// Whether the agent has a live session.
    pub fn is_connected(&self) -> bool {
        !self.running.gateway.sessions().of(SERVER).is_empty()
    }

    /// Sessions that ever were, oldest first.
    pub async fn sessions(&self) -> Vec<Session> {
        let mut sessions = self.running.store.sessions(SERVER, 100).await.unwrap();
        sessions.reverse();
        sessions
    }

    /// How many reports were stored.
    pub fn reports(&self) -> u64 {
        self.running.gateway.sessions().totals().reports_stored
    }

    /// How many renewals were asked for and answered with a certificate.
    pub fn renewals(&self) -> u64 {
        self.running.gateway.sessions().totals().renewals
    }

    /// The server's certificates, oldest first.
    pub async fn certificates(&self) -> Vec<AgentCertificate> {
        let mut found = self.running.store.certificates(SERVER).await.unwrap();
        found.sort_by_key(|certificate| certificate.lifetime.not_after);
        found
    }

    pub async fn states(&self) -> Vec<CertificateState> {
        self.certificates().await.into_iter().map(|certificate| certificate.state).collect()
    }

    /// What was told of the server, oldest first.
    pub async fn told(&self) -> Vec<String> {
        let kind = Some("session".to_owned());
        let query = EventQuery { after: Some(0), subject: Some(SERVER.to_owned()), kind, limit: 100, before: None };
        let events = self.running.store.events(query).await.unwrap();
        events.into_iter().filter_map(|event| event.to).collect()
    }

    /// A page of the API.
    pub async fn api(&self, path: &str) -> Value {
        let (addr, token, path) = (self.running.api_addr, self.running.admin_token.clone().unwrap(), path.to_owned());
        let answer = tokio::task::spawn_blocking(move || http::get(addr, &path, Some(&token)).unwrap()).await.unwrap();
        assert_eq!(answer.status, 200);
        serde_json::from_slice(&answer.body).unwrap()
    }

    /// Whether one of the agent's files holds this certificate.
    pub fn holds(&self, file: &str, certificate: &AgentCertificate) -> bool {
        self.text(file).contains(&pem(&certificate.der))
    }

    /// Whether the agent has a pending identity, complete.
    pub fn has_pending(&self) -> bool {
        self.text(PENDING).matches("BEGIN CERTIFICATE").count() == 2
    }

    fn text(&self, file: &str) -> String {
        std::fs::read_to_string(self.agent_dir().join(file)).unwrap_or_default()
    }

    pub async fn close(self) {
        self.shutdown.cancel();
        tokio::time::timeout(PATIENCE, self.running.ended()).await.expect("the aggregator ends").unwrap();
    }
}

impl Agent {
    /// Ends it in the middle of whatever it does.
    pub async fn kill(self) {
        self.task.abort();
        assert!(self.task.await.unwrap_err().is_cancelled());
    }

    pub async fn end(self) {
        self.shutdown.cancel();
        tokio::time::timeout(PATIENCE, self.task).await.expect("the agent ends").unwrap().unwrap();
    }
}

/// Waits until something holds that somebody else brings about.
pub async fn until(what: &str, condition: impl AsyncFn() -> bool) -> Duration {
    let started = Instant::now();
    while !condition().await {
        assert!(started.elapsed() < PATIENCE, "never: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    started.elapsed()
}

/// What the agent and the aggregator of this test log.
pub struct Log {
    lines: Lines,
    _installed: DefaultGuard,
}

impl Log {
    /// Listens from here on, on this thread: the test's runtime has no other.
    pub fn listen() -> Self {
        let lines = Lines::default();
        let writer = lines.clone();
        let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
        Self { lines, _installed: tracing::subscriber::set_default(subscriber) }
    }

    pub fn has(&self, words: &str) -> bool {
        self.text().contains(words)
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.lines.0.lock().unwrap()).into_owned()
    }
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn pem(der: &[u8]) -> String {
    let text = base64::engine::general_purpose::STANDARD.encode(der);
    let lines: Vec<&str> = text.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).unwrap()).collect();
    format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", lines.join("\n"))
}

fn database(data: &Path) -> String {
    format!("sqlite:{}", data.join("quorate.db").display())
}
