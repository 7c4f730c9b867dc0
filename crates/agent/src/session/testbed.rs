//! A gateway on loopback whose side of the conversation is spoken by the test.
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::service::TowerToHyperService;
use quorate_core::lane::Lane;
use quorate_core::outcome::Outcome;
use quorate_core::plan::{ProbePlan, Target};
use quorate_core::probe::{Probe, ProbeKind, Verify};
use quorate_proto::v1::{self, from_agent, to_agent};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, PublicKeyData as _, SubjectPublicKeyInfo};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_rustls::LazyConfigAcceptor;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use tonic::{Request, Response, Status, Streaming};
use x509_parser::prelude::FromDer as _;

use crate::agent::run_with;
use crate::gateway::Resolver;
use crate::limits::{AddressLimits, Limits, Ports};
use crate::{AgentConfig, EnrollRequest, Enrolled, RunError, enroll};

pub(crate) const SERVER: &str = "nl-1";
/// What the gateway's certificate is for, beside 127.0.0.1.
pub(crate) const NAME: &str = "gateway.test";

/// A gateway. It is gone when dropped.
pub(crate) struct TestGateway {
    pub(crate) address: SocketAddr,
    authority: Arc<Authority>,
    sessions: mpsc::Receiver<TestSession>,
    /// Hellos with purpose `probe`, which it answers by itself.
    pub(crate) probes: Arc<AtomicUsize>,
    _task: AbortOnDropHandle<()>,
}

/// One session, as the gateway sees it.
pub(crate) struct TestSession {
    /// Its first message, until it is asked for.
    hello: Option<from_agent::Kind>,
    pub(crate) inbound: Streaming<v1::FromAgent>,
    pub(crate) outbound: mpsc::Sender<Result<v1::ToAgent, Status>>,
}

pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: CertificateDer<'static>,
    pub(crate) pin: [u8; 32],
    /// Which key each token was used with; answers are lost while the test says so.
    tokens: Mutex<BTreeMap<String, Vec<u8>>>,
    pub(crate) answers_lost: Mutex<u32>,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        let certificate = params.self_signed(&key).unwrap().der().clone();
        let pin = crate::files::sha256(&key.subject_public_key_info());
        Self {
            issuer: Issuer::new(params, key),
            certificate,
            pin,
            tokens: Mutex::default(),
            answers_lost: Mutex::new(0),
        }
    }

    fn chain(&self) -> (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(["127.0.0.1".to_owned(), NAME.to_owned()]).unwrap();
        let leaf = params.signed_by(&key, &self.issuer).unwrap();
        let key = PrivatePkcs8KeyDer::from(key.serialize_der()).into();
        (vec![leaf.der().clone(), self.certificate.clone()], key)
    }

    fn server_config(&self, alpn: &[u8], clients: bool) -> Arc<ServerConfig> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&[&rustls::version::TLS13])
            .unwrap();
        let builder = if clients {
            let mut roots = RootCertStore::empty();
            roots.add(self.certificate.clone()).unwrap();
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build().unwrap();
            builder.with_client_cert_verifier(verifier)
        } else {
            builder.with_no_client_auth()
        };
        let (chain, key) = self.chain();
        let mut config = builder.with_single_cert(chain, key).unwrap();
        config.alpn_protocols = vec![alpn.to_vec()];
        Arc::new(config)
    }

    pub(crate) fn token(&self, id: &str) -> String {
        format!("q1.{id}.{}.{}", URL_SAFE_NO_PAD.encode([9; 32]), URL_SAFE_NO_PAD.encode(self.pin))
    }
}

impl TestGateway {
    pub(crate) async fn start() -> Self {
        Self::start_with(Arc::new(Authority::new())).await
    }

    pub(crate) async fn start_with(authority: Arc<Authority>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (opened, sessions) = mpsc::channel(16);
        let door = authority.server_config(b"h2", true);
        let desk = authority.server_config(b"quorate-enroll/1", false);
        let keeper = Arc::clone(&authority);
        let probes = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&probes);
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (door, desk, keeper) = (Arc::clone(&door), Arc::clone(&desk), Arc::clone(&keeper));
                let (opened, probes) = (opened.clone(), Arc::clone(&counted));
                tokio::spawn(async move {
                    let start = LazyConfigAcceptor::new(rustls::server::Acceptor::default(), stream).await.ok()?;
                    let enrols = start.client_hello().alpn()?.any(|alpn| alpn == b"quorate-enroll/1");
                    let tls = start.into_stream(if enrols { desk } else { door }).await.ok()?;
                    let http = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                    let io = TokioIo::new(tls);
                    if enrols {
                        let service = v1::enrolment_server::EnrolmentServer::new(Desk(keeper));
                        http.serve_connection(io, TowerToHyperService::new(service)).await.ok()
                    } else {
                        let service = v1::agents_server::AgentsServer::new(Door { opened, probes });
                        http.serve_connection(io, TowerToHyperService::new(service)).await.ok()
                    }
                });
            }
        });
        Self { address, authority, sessions, probes, _task: AbortOnDropHandle::new(task) }
    }

    pub(crate) async fn enrol(&self, data_dir: &Path) -> Enrolled {
        enroll(self.request(data_dir, "first")).await.unwrap()
    }

    pub(crate) fn request(&self, data_dir: &Path, token_id: &str) -> EnrollRequest {
        EnrollRequest {
            gateway: self.address.to_string(),
            token: self.authority.token(token_id),
            data_dir: data_dir.to_owned(),
            source_addresses: Vec::new(),
        }
    }

    /// The next session, however long it takes.
    pub(crate) async fn next(&mut self) -> Option<TestSession> {
        self.sessions.recv().await
    }

    /// Sessions that were opened and nobody asked for.
    pub(crate) fn waiting(&self) -> usize {
        self.sessions.len()
    }

    /// The next session that is opened.
    pub(crate) async fn session(&mut self) -> TestSession {
        within(self.sessions.recv()).await.unwrap()
    }
}

impl TestSession {
    pub(crate) async fn next(&mut self) -> Option<from_agent::Kind> {
        if let Some(hello) = self.hello.take() {
            return Some(hello);
        }
        within(self.inbound.message()).await.ok().flatten().and_then(|message| message.kind)
    }

    pub(crate) async fn hello(&mut self) -> v1::Hello {
        match self.next().await {
            Some(from_agent::Kind::Hello(hello)) => hello,
            other => panic!("no Hello: {other:?}"),
        }
    }

    pub(crate) async fn report(&mut self) -> v1::Report {
        match self.next().await {
            Some(from_agent::Kind::Report(report)) => report,
            other => panic!("no Report: {other:?}"),
        }
    }

    pub(crate) async fn goodbye(&mut self) -> v1::Goodbye {
        loop {
            match self.next().await {
                Some(from_agent::Kind::Goodbye(goodbye)) => return goodbye,
                Some(_) => {}
                None => panic!("no Goodbye"),
            }
        }
    }

    pub(crate) async fn send(&self, kind: to_agent::Kind) {
        // An agent that has gone meanwhile is not told.
        let _ = self.outbound.send(Ok(v1::ToAgent { kind: Some(kind) })).await;
    }

    pub(crate) async fn welcome(&self, stored_sequence: u64) {
        self.send(welcome(stored_sequence)).await;
    }

    pub(crate) async fn acknowledge(&self, report: &v1::Report) {
        let ack = v1::Ack { outbox_id: report.outbox_id.clone(), sequence: report.sequence };
        self.send(to_agent::Kind::Ack(ack)).await;
    }
}

/// A test that hangs has failed.
pub(crate) async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(15), future).await.expect("too slow")
}

fn welcome(stored_sequence: u64) -> to_agent::Kind {
    let wall_ms = crate::clock::wall().as_ms();
    let (server, aggregator_version) = (SERVER.to_owned(), "test".to_owned());
    to_agent::Kind::Welcome(v1::Welcome { server, stored_sequence, wall_ms, aggregator_version })
}

struct Door {
    opened: mpsc::Sender<TestSession>,
    probes: Arc<AtomicUsize>,
}

#[tonic::async_trait]
impl v1::agents_server::Agents for Door {
    type SessionStream = Pin<Box<dyn tokio_stream::Stream<Item = Result<v1::ToAgent, Status>> + Send>>;

    async fn session(
        &self,
        request: Request<Streaming<v1::FromAgent>>,
    ) -> Result<Response<Self::SessionStream>, Status> {
        let (outbound, messages) = mpsc::channel(16);
        let mut inbound = request.into_inner();
        let (opened, probes) = (self.opened.clone(), Arc::clone(&self.probes));
        tokio::spawn(async move {
            let hello = inbound.message().await.ok()??.kind;
            let is_probe =
                matches!(&hello, Some(from_agent::Kind::Hello(hello)) if hello.purpose() == v1::Purpose::Probe);
            if !is_probe {
                return opened.send(TestSession { hello, inbound, outbound }).await.ok();
            }
            probes.fetch_add(1, SeqCst);
            outbound.send(Ok(v1::ToAgent { kind: Some(welcome(0)) })).await.ok()
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(messages))))
    }
}

struct Desk(Arc<Authority>);

#[tonic::async_trait]
impl v1::enrolment_server::Enrolment for Desk {
    async fn enroll(&self, request: Request<v1::EnrollRequest>) -> Result<Response<v1::EnrollResponse>, Status> {
        let request = request.into_inner();
        let (_, csr) = x509_parser::certification_request::X509CertificationRequest::from_der(&request.csr_der)
            .map_err(|_| Status::invalid_argument("no CSR"))?;
        let spki = csr.certification_request_info.subject_pki.raw.to_vec();
        let known = self.0.tokens.lock().unwrap().entry(request.token).or_insert_with(|| spki.clone()).clone();
        if known != spki {
            return Err(Status::permission_denied("this enrolment token was used with another key"));
        }
        {
            let mut lost = self.0.answers_lost.lock().unwrap();
            if *lost > 0 {
                *lost -= 1;
                return Err(Status::unavailable("lost on the way"));
            }
        }
        let key = SubjectPublicKeyInfo::from_der(&spki).map_err(|_| Status::invalid_argument("no key"))?;
        let params = CertificateParams::new([SERVER.to_owned()]).map_err(|_| Status::internal("no name"))?;
        let certificate = params.signed_by(&key, &self.0.issuer).map_err(|_| Status::internal("no signature"))?;
        Ok(Response::new(v1::EnrollResponse {
            server: SERVER.to_owned(),
            certificate_der: certificate.der().to_vec(),
            ca_der: self.0.certificate.to_vec(),
        }))
    }
}

/// One round.
pub(crate) const INTERVAL: Duration = Duration::from_millis(400);

/// An entry point of which any certificate will do.
pub(crate) fn target(id: &str, address: std::net::SocketAddr) -> Target {
    let probe = Probe { verify: Verify::None, ..Probe::new(ProbeKind::Tls, address.ip().to_string(), address.port()) };
    Target { entry_point: format!("{id}/tls"), server: id.to_owned(), lane: Lane::Tcp4, probe }
}

pub(crate) fn plan(version: u64, targets: Vec<Target>) -> ProbePlan {
    ProbePlan {
        version,
        interval: INTERVAL,
        min_spacing: Duration::from_millis(20),
        targets,
        own: Vec::new(),
        controls: Vec::new(),
        speed: 20,
    }
}

pub(crate) fn config(gateway: SocketAddr, dir: &Path) -> AgentConfig {
    AgentConfig {
        source_addresses: vec!["127.0.0.7".parse().unwrap()],
        limits: Limits {
            ports: Ports::Any,
            probes_per_minute: 10_000,
            min_spacing: Duration::from_millis(10),
            addresses: AddressLimits { loopback: true, ..AddressLimits::default() },
        },
        ..AgentConfig::new(gateway.to_string(), dir)
    }
}

/// An agent that runs.
pub(crate) struct Running {
    pub(crate) shutdown: CancellationToken,
    task: JoinHandle<Result<(), RunError>>,
}

impl Running {
    pub(crate) fn start(config: AgentConfig) -> Self {
        Self::start_with(config, Resolver::system())
    }

    pub(crate) fn start_with(config: AgentConfig, resolver: Resolver) -> Self {
        let shutdown = CancellationToken::new();
        Self { task: tokio::spawn(run_with(config, resolver, shutdown.clone())), shutdown }
    }

    pub(crate) async fn stop(self) {
        self.shutdown.cancel();
        within(self.task).await.unwrap().unwrap();
    }
}

/// The outcomes of a round; none for a heartbeat.
pub(crate) fn outcomes(report: &v1::Report, expected: usize) -> Vec<Outcome> {
    let expected = if report.outcomes.is_empty() { 0 } else { expected };
    quorate_proto::outcomes::unpack(&report.outcomes, expected).unwrap()
}

pub(crate) fn wire(plan: &ProbePlan) -> to_agent::Kind {
    to_agent::Kind::Plan(quorate_proto::plan::to_wire(plan))
}
