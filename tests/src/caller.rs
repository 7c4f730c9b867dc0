//! Whoever calls the gateway with an agent's identity and wants no session: as far as the first word that the gateway says
//! to a caller whom it has let in. Certificates are looked at on both sides.

use std::fs;
use std::io::{self, Read as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustls::client::Resumption;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName};

/// Longer is no.
const PATIENCE: Duration = Duration::from_secs(10);

/// An agent's identity, and the name that it knows the gateway by.
#[derive(Clone)]
pub struct Caller {
    tls: Arc<ClientConfig>,
    name: ServerName<'static>,
}

impl Caller {
    /// With the identity in an agent's data directory.
    pub fn with_identity_of(agent_data: &Path, name: &'static str) -> Self {
        let text = fs::read(agent_data.join("identity.pem")).expect("the agent is enrolled");
        let key = PrivateKeyDer::from_pem_slice(&text).expect("an identity has a key");
        let mut chain: Vec<CertificateDer<'static>> =
            CertificateDer::pem_slice_iter(&text).collect::<Result<_, _>>().expect("and certificates");
        let mut roots = RootCertStore::empty();
        roots.add(chain.pop().expect("the last one is the authority's")).unwrap();
        let mut tls = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_protocol_versions(&[&rustls::version::TLS13])
            .unwrap()
            .with_root_certificates(roots)
            .with_client_auth_cert(chain, key)
            .unwrap();
        tls.alpn_protocols = vec![b"h2".to_vec()];
        tls.resumption = Resumption::disabled();
        Self { tls: Arc::new(tls), name: ServerName::try_from(name).expect("a name is a name") }
    }

    /// Connects from the calling thread's network, and waits to be let in.
    pub fn call(&self, gateway: SocketAddr) -> io::Result<Call> {
        self.greet(TcpStream::connect_timeout(&gateway, PATIENCE)?)
    }

    /// Waits to be let in by whoever a connection leads to.
    pub fn greet(&self, stream: TcpStream) -> io::Result<Call> {
        stream.set_read_timeout(Some(PATIENCE))?;
        let connection = ClientConnection::new(Arc::clone(&self.tls), self.name.clone()).expect("the name is one");
        let mut call = StreamOwned::new(connection, stream);
        // The gateway's half of HTTP/2 begins by itself, when the caller's certificate has been found good.
        let mut head = [0; 9];
        call.read_exact(&mut head)?;
        Ok(Call { stream: call, first_payload: u32::from_be_bytes([0, head[0], head[1], head[2]]) })
    }

    /// What it says first, before it has heard anything: a `ClientHello`.
    pub fn first_words(&self) -> Vec<u8> {
        let mut connection = ClientConnection::new(Arc::clone(&self.tls), self.name.clone()).expect("the name is one");
        let mut words = Vec::new();
        connection.write_tls(&mut words).expect("memory takes it");
        words
    }
}

/// A call that was taken. It is hung up with its handle.
pub struct Call {
    stream: StreamOwned<ClientConnection, TcpStream>,
    first_payload: u32,
}

impl Call {
    /// Bytes of the body of the gateway's first frame, whose head has been read.
    pub fn first_payload(&self) -> u64 {
        self.first_payload.into()
    }

    /// The bytes inside TLS, from that body on.
    pub fn stream(&mut self) -> &mut StreamOwned<ClientConnection, TcpStream> {
        &mut self.stream
    }
}
