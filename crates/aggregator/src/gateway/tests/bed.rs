//! A gateway on loopback with a store of its own, a fake engine, and clients that speak to it over real sockets.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};
use http_body_util::{BodyExt as _, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use prost::Message as _;
use quorate_core::time::Moment;
use quorate_proto::v1::{self, from_agent, to_agent};
use rcgen::{CertificateParams, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::{broadcast, mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::Status;
use tonic::transport::Endpoint;

use super::super::{ALPN_ENROLMENT, ALPN_SESSION, Gateway, GatewayConfig, GatewayHandle, mint_enrolment};
use crate::authority::{Authority, KeyRequest};
use crate::clock::{Clock, wall};
use crate::engine::{Admitted, Command, Effort, EngineHandle, Event, Plans, Snapshot};
use crate::inventory::{EdgeEntry, Inventory, ProxyEntry};
use crate::store::Store;

/// Longer than anything here takes, short enough to tell of a hang.
pub const PATIENCE: Duration = Duration::from_secs(8);

pub struct Bed {
    pub dir: Arc<tempfile::TempDir>,
    pub store: Store,
    pub engine: EngineHandle,
    pub authority: Arc<Authority>,
    pub clock: Clock,
    pub handle: GatewayHandle,
    pub addr: SocketAddr,
    pub admitted: mpsc::UnboundedReceiver<Admitted>,
    pub events: mpsc::UnboundedReceiver<Event>,
    pub plans: watch::Sender<Arc<Plans>>,
    pub snapshots: watch::Sender<Arc<Snapshot>>,
    pub shutdown: CancellationToken,
    pub running: JoinHandle<()>,
}

#[derive(Clone)]
pub struct Credentials {
    pub certificate: CertificateDer<'static>,
    pub key: Arc<KeyPair>,
}

impl Bed {
    pub async fn start() -> Self {
        Self::new(tempfile::tempdir().unwrap(), "127.0.0.1:0").await
    }

    /// With a store that waits for no disk, where there is such a place.
    pub async fn start_in_memory() -> Self {
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        Self::new(dir, "127.0.0.1:0").await
    }

    /// A gateway that listens for both families.
    pub async fn start_dual() -> Self {
        Self::new(tempfile::tempdir().unwrap(), "[::]:0").await
    }

    async fn new(dir: tempfile::TempDir, listen: &str) -> Self {
        let store = Store::open(&format!("sqlite:{}", dir.path().join("quorate.db").display())).await.unwrap();
        Self::on(Arc::new(dir), store, listen).await
    }

    /// A second gateway on the same data.
    pub async fn beside(bed: &Self) -> Self {
        Self::on(Arc::clone(&bed.dir), bed.store.clone(), "127.0.0.1:0").await
    }

    async fn on(dir: Arc<tempfile::TempDir>, store: Store, listen: &str) -> Self {
        let authority = Arc::new(Authority::open(dir.path()).unwrap());
        let clock = Clock::start(Moment::ZERO);
        let Fake { engine, admitted, events, plans, snapshots } = fake_engine();
        let config = GatewayConfig {
            listen: listen.parse().unwrap(),
            names: vec!["gateway.test".to_owned(), "127.0.0.1".to_owned()],
        };
        let gateway =
            Gateway::bind(config, store.clone(), engine.clone(), Arc::clone(&authority), clock.clone()).await.unwrap();
        let (addr, handle, shutdown) = (gateway.local_addr(), gateway.handle(), CancellationToken::new());
        let running = tokio::spawn(gateway.run(shutdown.clone()));
        Self {
            dir,
            store,
            engine,
            authority,
            clock,
            handle,
            addr,
            admitted,
            events,
            plans,
            snapshots,
            shutdown,
            running,
        }
    }

    pub async fn token(&self, server: &str) -> String {
        mint_enrolment(&self.store, &self.authority, server, self.clock.now()).await.unwrap()
    }

    /// Enrols over the wire.
    pub async fn enrol(&self, server: &str) -> Credentials {
        let key = Arc::new(KeyPair::generate().unwrap());
        let answer = self.present(&self.token(server).await, &key).await.unwrap();
        assert_eq!(answer.server, server);
        assert_eq!(answer.ca_der, self.authority.certificate().to_vec());
        Credentials { certificate: answer.certificate_der.into(), key }
    }

    /// Credentials that are in the store and on the list without having come over the wire.
    pub async fn credentials(&self, server: &str) -> Credentials {
        self.issue(server, wall()).await
    }

    /// Gives out a certificate as if at another time; nobody has used it yet.
    pub async fn issue(&self, server: &str, at: Moment) -> Credentials {
        let key = Arc::new(KeyPair::generate().unwrap());
        let request = KeyRequest::from_der(&csr(&key)).unwrap();
        let issued = self.authority.issue_agent(server, &request, at).unwrap();
        self.handle.0.add_certificate(server, &issued).await.unwrap();
        Credentials { certificate: issued.der, key }
    }

    /// Presents a token with a key at the enrolment door.
    pub async fn present(&self, token: &str, key: &KeyPair) -> Result<v1::EnrollResponse, Status> {
        self.ask(v1::EnrollRequest { token: token.to_owned(), csr_der: csr(key), agent_version: "test".to_owned() })
            .await
    }

    pub async fn ask(&self, request: v1::EnrollRequest) -> Result<v1::EnrollResponse, Status> {
        let stream = self.tls(None, ALPN_ENROLMENT).await.unwrap();
        let mut once = Some(TokioIo::new(stream));
        let connector = tower::service_fn(move |_| std::future::ready(once.take().ok_or(std::io::ErrorKind::Other)));
        let connector = tower::ServiceExt::map_err(connector, std::io::Error::from);
        let channel = Endpoint::from_static("http://gateway.test").connect_with_connector(connector).await.unwrap();
        let mut client = v1::enrolment_client::EnrolmentClient::new(channel);
        timeout(PATIENCE, client.enroll(request)).await.unwrap().map(tonic::Response::into_inner)
    }

    pub fn client_config(&self, credentials: Option<&Credentials>, alpn: &[u8]) -> ClientConfig {
        let mut roots = RootCertStore::empty();
        roots.add(self.authority.certificate().clone()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots);
        let mut config = match credentials {
            Some(Credentials { certificate, key }) => {
                let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
                config.with_client_auth_cert(vec![certificate.clone()], key).unwrap()
            }
            None => config.with_no_client_auth(),
        };
        config.alpn_protocols = vec![alpn.to_vec()];
        config
    }

    pub async fn tls(&self, credentials: Option<&Credentials>, alpn: &[u8]) -> std::io::Result<TlsStream<TcpStream>> {
        self.tls_with(Arc::new(self.client_config(credentials, alpn))).await
    }

    pub async fn tls_with(&self, config: Arc<ClientConfig>) -> std::io::Result<TlsStream<TcpStream>> {
        Self::tls_over(TcpStream::connect(self.addr).await?, config).await
    }

    /// TLS over a stream that is there already.
    pub async fn tls_over<S: Stream>(stream: S, config: Arc<ClientConfig>) -> std::io::Result<TlsStream<S>> {
        let name = ServerName::try_from("gateway.test").unwrap();
        timeout(PATIENCE, TlsConnector::from(config).connect(name, stream)).await.unwrap()
    }

    /// Opens a session stream without saying anything on it.
    pub async fn link(&self, credentials: &Credentials) -> std::io::Result<Link> {
        Link::open(self.tls(Some(credentials), ALPN_SESSION).await?).await.map_err(std::io::Error::other)
    }

    /// Opens a session and reads its Welcome.
    pub async fn session(&self, credentials: &Credentials) -> (Link, v1::Welcome) {
        self.session_over(TcpStream::connect(self.addr).await.unwrap(), credentials).await
    }

    /// The same over a stream that is there already.
    pub async fn session_over(&self, stream: impl Stream, credentials: &Credentials) -> (Link, v1::Welcome) {
        let config = self.client_config(Some(credentials), ALPN_SESSION);
        let stream = Self::tls_over(stream, Arc::new(config)).await.unwrap();
        let mut link = Link::open(stream).await.unwrap();
        link.hello(hello()).await;
        let Some(to_agent::Kind::Welcome(welcome)) = link.next().await else { panic!("no Welcome") };
        (link, welcome)
    }

    /// Whether a session can be had with these credentials.
    pub async fn gets_in(&self, credentials: &Credentials) -> bool {
        // The client's half of a TLS 1.3 handshake is over before the server has looked at its certificate.
        let Ok(mut link) = self.link(credentials).await else { return false };
        link.hello(hello()).await;
        link.next().await.is_some()
    }

    /// Puts edges in force, each by its id, a network and whether it must send headers.
    pub fn edges(&self, edges: &[(&str, &str, ProxyEntry)]) {
        let edge = |(id, network, proxy): &(&str, &str, ProxyEntry)| EdgeEntry {
            id: (*id).to_owned(),
            networks: vec![(*network).to_owned()],
            proxy: *proxy,
            optional_since_ms: None,
        };
        self.inventory(Inventory { edges: edges.iter().map(edge).collect(), ..Inventory::default() });
    }

    pub fn inventory(&self, inventory: Inventory) {
        self.snapshots.send_modify(|snapshot| {
            let (inventory_version, inventory) = (snapshot.inventory_version + 1, Arc::new(inventory));
            *snapshot = Arc::new(Snapshot { inventory_version, inventory, ..Snapshot::clone(snapshot) });
        });
    }

    pub fn publish(&self, version: u64, servers: &[&str]) {
        let plan = v1::Plan { version, interval_ms: 1000, min_spacing_ms: 1, ..v1::Plan::default() };
        let by_server = servers.iter().map(|server| ((*server).to_owned(), plan.clone())).collect();
        self.plans.send_replace(Arc::new(Plans { version, by_server }));
    }
}

/// What TLS runs over.
pub trait Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> Stream for S {}

/// Connects from one of the many addresses of loopback.
pub async fn connect_from(address: [u8; 4], to: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((address, 0).into()).unwrap();
    let stream = socket.connect(to).await.unwrap();
    stream.set_nodelay(true).unwrap();
    stream
}

/// What is logged while the guard lives.
#[derive(Clone, Default)]
pub struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    pub fn listen(&self) -> tracing::subscriber::DefaultGuard {
        let writer = self.clone();
        let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
        tracing::subscriber::set_default(subscriber)
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl std::io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

pub fn hello() -> v1::Hello {
    v1::Hello {
        agent_version: "test".to_owned(),
        purpose: v1::Purpose::Session.into(),
        outbox_id: b"outbox".to_vec(),
        edge: "192.0.2.11:8443".to_owned(),
        ..v1::Hello::default()
    }
}

/// A signing request that asks for a name of its own.
pub fn csr(key: &KeyPair) -> Vec<u8> {
    let params = CertificateParams::new(vec!["impostor.test".to_owned()]).unwrap();
    params.serialize_request(key).unwrap().der().to_vec()
}

pub fn report(sequence: u64) -> v1::Report {
    v1::Report { outbox_id: b"outbox".to_vec(), sequence, plan_version: 1, age_ms: 5000, ..v1::Report::default() }
}

type Body = StreamBody<Pin<Box<dyn futures_util::Stream<Item = Result<Frame<Bytes>, std::io::Error>> + Send>>>;

/// A session stream with its frames laid bare, so that they can also be wrong.
pub struct Link {
    to: Option<mpsc::Sender<Result<Frame<Bytes>, std::io::Error>>>,
    answer: Answer,
    buffer: BytesMut,
    _connection: JoinHandle<()>,
    client: http2::SendRequest<Body>,
}

enum Answer {
    Awaited(JoinHandle<Option<Incoming>>),
    Here(Option<Incoming>),
}

impl Link {
    pub async fn open(stream: impl Stream) -> Result<Self, hyper::Error> {
        let (mut client, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await?;
        let connection = tokio::spawn(async move { drop(connection.await) });
        let (to, frames) = mpsc::channel(4);
        let answer = client.send_request(request(StreamBody::new(Box::pin(ReceiverStream::new(frames)))));
        let answer = tokio::spawn(async move { answer.await.ok().map(http::Response::into_body) });
        Ok(Self {
            to: Some(to),
            answer: Answer::Awaited(answer),
            buffer: BytesMut::new(),
            _connection: connection,
            client,
        })
    }

    pub async fn hello(&mut self, hello: v1::Hello) {
        self.send(from_agent::Kind::Hello(hello)).await;
    }

    pub async fn report(&mut self, report: v1::Report) {
        self.send(from_agent::Kind::Report(report)).await;
    }

    pub async fn send(&mut self, kind: from_agent::Kind) {
        self.frame(&v1::FromAgent { kind: Some(kind) }.encode_to_vec()).await;
    }

    pub async fn frame(&mut self, message: &[u8]) {
        let mut frame = BytesMut::new();
        frame.put_u8(0);
        frame.put_u32(message.len().try_into().unwrap());
        frame.put_slice(message);
        self.raw(frame.freeze()).await;
    }

    /// Bytes as they are; a gateway that has hung up is no failure here.
    pub async fn raw(&mut self, bytes: Bytes) {
        if let Some(to) = &self.to {
            let _ = timeout(PATIENCE, to.send(Ok(Frame::data(bytes)))).await.unwrap();
        }
    }

    /// Opens another stream beside the first; its response.
    pub async fn second_stream(&mut self) -> http::Response<Incoming> {
        let body: Body = StreamBody::new(Box::pin(tokio_stream::empty()));
        timeout(PATIENCE, self.client.send_request(request(body))).await.unwrap().unwrap()
    }

    pub fn hang_up(&mut self) {
        self.to = None;
    }

    /// The next message; none at the end of the stream, however it ended.
    pub async fn next(&mut self) -> Option<to_agent::Kind> {
        timeout(PATIENCE, self.read()).await.expect("neither message nor end in time")
    }

    async fn read(&mut self) -> Option<to_agent::Kind> {
        if let Answer::Awaited(answer) = &mut self.answer {
            self.answer = Answer::Here(answer.await.unwrap());
        }
        let Answer::Here(Some(body)) = &mut self.answer else { return None };
        loop {
            if self.buffer.len() >= 5 {
                let length = usize::try_from((&self.buffer[1..5]).get_u32()).unwrap();
                if self.buffer.len() >= 5 + length {
                    self.buffer.advance(5);
                    return v1::ToAgent::decode(self.buffer.split_to(length)).unwrap().kind;
                }
            }
            match body.frame().await {
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        self.buffer.extend_from_slice(&data);
                    }
                }
                Some(Err(_)) | None => return None,
            }
        }
    }

    /// The next message, which is an acknowledgement.
    pub async fn ack(&mut self) -> u64 {
        match self.next().await {
            Some(to_agent::Kind::Ack(ack)) => ack.sequence,
            other => panic!("no Ack but {other:?}"),
        }
    }

    /// The next message, which is a Close, and after it the end.
    pub async fn close(&mut self) -> v1::Close {
        let close = match self.next().await {
            Some(to_agent::Kind::Close(close)) => close,
            other => panic!("no Close but {other:?}"),
        };
        assert_eq!(self.next().await, None);
        close
    }
}

fn request(body: Body) -> http::Request<Body> {
    http::Request::post("http://gateway.test/quorate.v1.Agents/Session")
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(body)
        .unwrap()
}

/// Waits for a condition that something else brings about.
pub async fn eventually(what: &str, condition: impl Fn() -> bool) {
    let waited = timeout(PATIENCE, async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    });
    assert!(waited.await.is_ok(), "never: {what}");
}

struct Fake {
    engine: EngineHandle,
    admitted: mpsc::UnboundedReceiver<Admitted>,
    events: mpsc::UnboundedReceiver<Event>,
    plans: watch::Sender<Arc<Plans>>,
    snapshots: watch::Sender<Arc<Snapshot>>,
}

fn fake_engine() -> Fake {
    let (commands, mut asked) = mpsc::channel(16);
    let (to_admitted, admitted) = mpsc::unbounded_channel();
    let (to_events, told) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Some(command) = asked.recv().await {
            match command {
                Command::Admit(report) => drop(to_admitted.send(*report)),
                Command::Tell(event) => drop(to_events.send(*event)),
                Command::PlanRefused { server, reason } => {
                    let to = Some("plan_refused".to_owned());
                    let (kind, from) = ("session".to_owned(), None);
                    drop(to_events.send(Event { id: 0, at_ms: 0, kind, subject: server, from, to, reason }));
                }
                Command::Inventory { .. } | Command::Read(_) | Command::Stop(_) => {}
            }
        }
    });
    let inventory = Inventory::default();
    let snapshot = Snapshot {
        generation: 0,
        at: Moment::ZERO,
        through: 0,
        evaluation_started_at: Moment::ZERO,
        inventory_version: 0,
        fleet: Arc::new(inventory.fleet().unwrap()),
        policy: Arc::new(inventory.policy().unwrap()),
        inventory: Arc::new(inventory),
        verdicts: Arc::default(),
        since: Arc::default(),
        last_reports: Arc::default(),
        refusals: Arc::default(),
        pattern: Arc::default(),
        effort: Effort::default(),
    };
    let (plans, plans_seen) = watch::channel(Arc::new(Plans { version: 0, by_server: BTreeMap::new() }));
    let (snapshots, snapshots_seen) = watch::channel(Arc::new(snapshot));
    let engine = EngineHandle {
        commands,
        snapshots: snapshots_seen,
        plans: plans_seen,
        events: broadcast::channel(1).0,
        lines: Arc::default(),
    };
    Fake { engine, admitted, events: told, plans, snapshots }
}
