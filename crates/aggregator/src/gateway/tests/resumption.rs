//! A resumed session would skip the look at the pins, so there is none to resume.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use rustls::client::{
    ClientSessionMemoryCache, ClientSessionStore, Resumption, Tls12ClientSessionValue, Tls13ClientSessionValue,
};
use rustls::pki_types::ServerName;
use rustls::server::WebPkiClientVerifier;
use rustls::{ClientConfig, HandshakeKind, NamedGroup, RootCertStore, ServerConfig};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::{TlsAcceptor, TlsConnector};

use super::bed::{Bed, Link, hello};
use crate::clock::wall;
use crate::gateway::ALPN_SESSION;

#[tokio::test]
async fn a_revoked_agent_is_not_let_in_by_resuming_a_session() {
    let bed = Bed::start().await;
    let credentials = bed.enrol("nl-1").await;
    let purse = Arc::new(Purse { inner: ClientSessionMemoryCache::new(16), given: 0.into(), offered: 0.into() });
    let mut config = bed.client_config(Some(&credentials), ALPN_SESSION);
    config.resumption = Resumption::store(Arc::clone(&purse) as _);
    let config = Arc::new(config);

    // The gateway gives nothing that could be resumed.
    for _ in 0..2 {
        let stream = bed.tls_with(Arc::clone(&config)).await.unwrap();
        let mut link = Link::open(stream).await.unwrap();
        link.hello(hello()).await;
        assert!(link.next().await.is_some());
    }
    assert_eq!((Purse::count(&purse.given), Purse::count(&purse.offered)), (0, 0));

    // A ticket from elsewhere is offered to it and passed over.
    take_a_ticket(&bed, &config).await;
    assert!(Purse::count(&purse.given) >= 2);
    let stream = bed.tls_with(Arc::clone(&config)).await.unwrap();
    assert_eq!(Purse::count(&purse.offered), 1);
    assert_eq!(stream.get_ref().1.handshake_kind(), Some(HandshakeKind::Full));
    let mut link = Link::open(stream).await.unwrap();
    link.hello(hello()).await;
    assert!(link.next().await.is_some());

    bed.handle.revoke("nl-1").await.unwrap();
    let refused = match bed.tls_with(config).await {
        Ok(mut stream) => stream.read(&mut [0; 64]).await.is_err(),
        Err(_) => true,
    };
    assert_eq!(Purse::count(&purse.offered), 2);
    assert!(refused);
}

/// A server under the gateway's name that gives out tickets, as the gateway never does.
async fn take_a_ticket(bed: &Bed, config: &Arc<ClientConfig>) {
    let own = bed.authority.issue_gateway(&["gateway.test".to_owned()], wall()).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(bed.authority.certificate().clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), Arc::clone(&provider)).build().unwrap();
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let mut generous = builder.with_client_cert_verifier(verifier).with_single_cert(own.chain, own.key).unwrap();
    generous.alpn_protocols = vec![ALPN_SESSION.to_vec()];
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let serving = async {
        let (stream, _) = listener.accept().await.unwrap();
        let mut tls = TlsAcceptor::from(Arc::new(generous)).accept(stream).await.unwrap();
        tls.write_all(b"x").await.unwrap();
        tls.flush().await.unwrap();
        tls
    };
    let asking = async {
        let stream = TcpStream::connect(addr).await.unwrap();
        let name = ServerName::try_from("gateway.test").unwrap();
        let mut tls = TlsConnector::from(Arc::clone(config)).connect(name, stream).await.unwrap();
        // Tickets come before the first byte.
        tls.read_exact(&mut [0]).await.unwrap();
        tls
    };
    tokio::join!(serving, asking);
}

/// Counts the tickets that a client was given and offers.
#[derive(Debug)]
struct Purse {
    inner: ClientSessionMemoryCache,
    given: AtomicUsize,
    offered: AtomicUsize,
}

impl Purse {
    fn count(counter: &AtomicUsize) -> usize {
        counter.load(SeqCst)
    }
}

impl ClientSessionStore for Purse {
    fn set_kx_hint(&self, server: ServerName<'static>, group: NamedGroup) {
        self.inner.set_kx_hint(server, group);
    }

    fn kx_hint(&self, server: &ServerName<'_>) -> Option<NamedGroup> {
        self.inner.kx_hint(server)
    }

    fn set_tls12_session(&self, server: ServerName<'static>, value: Tls12ClientSessionValue) {
        self.inner.set_tls12_session(server, value);
    }

    fn tls12_session(&self, server: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        self.inner.tls12_session(server)
    }

    fn remove_tls12_session(&self, server: &ServerName<'static>) {
        self.inner.remove_tls12_session(server);
    }

    fn insert_tls13_ticket(&self, server: ServerName<'static>, value: Tls13ClientSessionValue) {
        self.given.fetch_add(1, SeqCst);
        self.inner.insert_tls13_ticket(server, value);
    }

    fn take_tls13_ticket(&self, server: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        let ticket = self.inner.take_tls13_ticket(server);
        self.offered.fetch_add(usize::from(ticket.is_some()), SeqCst);
        ticket
    }
}
