//! Those who are knocked on: three listeners, for TLS, QUIC and TCP, on every address of 127/8. They stand for any number of
//! servers, and count who came in.

use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use quinn::crypto::rustls::QuicServerConfig;
use quinn::{Endpoint, EndpointConfig, TokioRuntime};
use rcgen::PublicKeyData as _;
use ring::digest::{SHA256, digest};
use rustls::crypto::ring::default_provider;
use rustls::{ServerConfig, ServerConnection};
use rustls_pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::runtime::Runtime;

use crate::kind::Kind;

/// The name on the certificate, and in every handshake.
pub const NAME: &str = "peer.example.org";
/// Where a server of the fleet is itself, which is no peer.
pub const OWN: Ipv4Addr = Ipv4Addr::LOCALHOST;
/// Threads per listener: a knock and a look of the self-check may come at once, and those of the run before may linger.
const DOORMEN: usize = 4;
/// The longest that a listener waits for the other side.
const PATIENCE: Duration = Duration::from_secs(5);

/// What came in through one listener, at other addresses than [`OWN`].
#[derive(Debug, Default)]
pub struct Tally {
    finished: AtomicU64,
    bytes: AtomicU64,
}

impl Tally {
    /// Handshakes that were finished; connections, for TCP.
    pub fn finished(&self) -> u64 {
        self.finished.load(Ordering::Relaxed)
    }

    /// Bytes of the transport's payload, both ways, hellos and goodbyes.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    fn add(&self, local: IpAddr, bytes: u64) {
        if local != IpAddr::V4(OWN) {
            self.bytes.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    fn finish(&self, local: IpAddr) {
        if local != IpAddr::V4(OWN) {
            self.finished.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// The listeners; they live as long as the program.
pub struct Peers {
    ports: [u16; 3],
    tallies: [Arc<Tally>; 3],
    /// SHA-256 of the key, in hex: what an inventory pins.
    pub pin: String,
    /// SHA-256 of the certificate, in hex.
    pub certificate: String,
    /// The certificate, which is its own authority, as PEM.
    pub pem: String,
    _runtime: Runtime,
}

impl Peers {
    /// Opens the doors.
    pub fn open() -> Self {
        let made = rcgen::generate_simple_self_signed([NAME.to_owned()]).unwrap();
        let key = made.signing_key.serialize_der();
        let config = |alpn: &[&str]| {
            let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.clone()));
            let config = ServerConfig::builder_with_provider(Arc::new(default_provider()));
            let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
            let mut config = config.with_single_cert(vec![made.cert.der().clone()], key).unwrap();
            config.alpn_protocols = alpn.iter().map(|alpn| alpn.as_bytes().to_vec()).collect();
            config
        };
        let tallies: [Arc<Tally>; 3] = Default::default();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let tls = Arc::new(config(&["h2", "http/1.1"]));
        let ports = Kind::ALL.map(|kind| {
            let (tls, tally) = (Arc::clone(&tls), Arc::clone(&tallies[kind as usize]));
            match kind {
                Kind::Tls => listen(move |stream, local| greet(stream, local, &tls, &tally)),
                Kind::Tcp => listen(move |stream, local| nod(stream, local, &tally)),
                Kind::Quic => listen_quic(&runtime, config(&["h3"]), tally),
            }
        });
        let pin = hex(&made.signing_key.subject_public_key_info());
        Self { ports, tallies, pin, certificate: hex(made.cert.der()), pem: made.cert.pem(), _runtime: runtime }
    }

    /// Where the peer of that number is.
    pub fn address(&self, kind: Kind, number: u16) -> SocketAddr {
        SocketAddr::from((Ipv4Addr::new(127, 1, (number / 250) as u8, (number % 250) as u8 + 1), self.port(kind)))
    }

    /// The port of all of them.
    pub fn port(&self, kind: Kind) -> u16 {
        self.ports[kind as usize]
    }

    /// What came in.
    pub fn tally(&self, kind: Kind) -> &Tally {
        &self.tallies[kind as usize]
    }
}

/// Serves a TCP port on its own threads.
fn listen(serve: impl Fn(TcpStream, IpAddr) -> io::Result<()> + Clone + Send + 'static) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    for _ in 0..DOORMEN {
        let (listener, serve) = (listener.try_clone().unwrap(), serve.clone());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let _ = stream.local_addr().and_then(|local| {
                    stream.set_read_timeout(Some(PATIENCE))?;
                    stream.set_nodelay(true)?;
                    // Who leaves without a word is no concern of the listener's.
                    serve(stream, local.ip())
                });
            }
        });
    }
    port
}

/// Waits for the goodbye and returns it.
fn nod(mut stream: TcpStream, local: IpAddr, tally: &Tally) -> io::Result<()> {
    tally.finish(local);
    stream.read(&mut [0; 16]).map(drop)
}

/// A handshake, and a goodbye for a goodbye.
fn greet(mut stream: TcpStream, local: IpAddr, config: &Arc<ServerConfig>, tally: &Tally) -> io::Result<()> {
    let mut session = ServerConnection::new(Arc::clone(config)).unwrap();
    let count = |(read, written): (usize, usize)| tally.add(local, (read + written) as u64);
    while session.is_handshaking() {
        count(session.complete_io(&mut stream)?);
    }
    tally.finish(local);
    // Tickets go out with this.
    loop {
        let state = session.process_new_packets().map_err(io::Error::other)?;
        while session.wants_write() {
            count((0, session.write_tls(&mut stream)?));
        }
        if state.peer_has_closed() {
            break;
        }
        match session.read_tls(&mut stream)? {
            0 => break,
            read => count((read, 0)),
        }
    }
    session.send_close_notify();
    while session.wants_write() {
        count((0, session.write_tls(&mut stream)?));
    }
    stream.flush()
}

fn listen_quic(runtime: &Runtime, config: ServerConfig, tally: Arc<Tally>) -> u16 {
    let _context = runtime.enter();
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
    let port = socket.local_addr().unwrap().port();
    let config = quinn::ServerConfig::with_crypto(Arc::new(QuicServerConfig::try_from(config).unwrap()));
    let endpoint = Endpoint::new(EndpointConfig::default(), Some(config), socket, Arc::new(TokioRuntime)).unwrap();
    runtime.spawn(async move {
        while let Some(incoming) = endpoint.accept().await {
            let tally = Arc::clone(&tally);
            tokio::spawn(async move {
                let Ok(connection) = incoming.await else { return };
                let local = connection.local_ip().unwrap_or(IpAddr::V4(OWN));
                tally.finish(local);
                connection.closed().await;
                let stats = connection.stats();
                tally.add(local, stats.udp_rx.bytes + stats.udp_tx.bytes);
            });
        }
    });
    port
}

fn hex(bytes: &[u8]) -> String {
    digest(&SHA256, bytes).as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}
