//! TCP, then a full TLS handshake.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use quorate_core::outcome::{Operation, Reason};
use rustls::client::Resumption;
use rustls::{ClientConfig, ProtocolVersion, SupportedProtocolVersion};
use rustls_pki_types::ServerName;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::verify::PeerVerifier;
use super::{GOODBYE, Run, Stop, failure};

/// What clients of a TLS entry point offer.
const ALPN: [&str; 2] = ["h2", "http/1.1"];

impl Run<'_> {
    pub(super) async fn tls(&mut self, address: SocketAddr) -> Result<Duration, Stop> {
        let stream = self.tls_connect(address).await?;
        let latency = self.watch.elapsed();
        leave(stream, self.scaled(GOODBYE)).await;
        Ok(latency)
    }

    pub(super) async fn tls_connect(&mut self, address: SocketAddr) -> Result<TlsStream<TcpStream>, Stop> {
        let (config, verifier) = self.client_config(rustls::DEFAULT_VERSIONS, &ALPN)?;
        let name = self.server_name()?;
        let tcp = self.connect(address).await?;
        let connected = self.watch.elapsed();
        let handshake = TlsConnector::from(Arc::new(config)).connect(name, tcp);
        let ended = self
            .step(Operation::TlsHandshake, async {
                handshake.await.map_err(|error| {
                    let kind = verifier.refusal().unwrap_or_else(|| failure::of_io(&error));
                    Stop::failed(Operation::TlsHandshake, kind, error)
                })
            })
            .await;
        self.trace.certificate_ends_s = verifier.ends_s();
        let stream = ended?;
        self.trace.handshake = Some(self.watch.elapsed().saturating_sub(connected));
        let (_, session) = stream.get_ref();
        self.trace.alpn = session.alpn_protocol().map(|alpn| String::from_utf8_lossy(alpn).into_owned());
        self.trace.tls_version = session.protocol_version().map(version_word);
        Ok(stream)
    }

    /// A configuration of the probe's own: nothing is resumed, so that each handshake is a whole one.
    pub(super) fn client_config(
        &self,
        versions: &[&'static SupportedProtocolVersion],
        default_alpn: &[&str],
    ) -> Result<(ClientConfig, Arc<PeerVerifier>), Stop> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let broken = |error: &dyn std::error::Error| Stop::own(Reason::Unknown, error);
        let verifier =
            PeerVerifier::new(&self.probe.verify, &self.knocker.roots, &provider).map_err(|error| broken(&error))?;
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(versions)
            .map_err(|error| broken(&error))?
            .dangerous()
            .with_custom_certificate_verifier(Arc::clone(&verifier) as _)
            .with_no_client_auth();
        config.resumption = Resumption::disabled();
        config.alpn_protocols = if self.probe.alpn.is_empty() {
            default_alpn.iter().map(|alpn| alpn.as_bytes().to_vec()).collect()
        } else {
            self.probe.alpn.iter().map(|alpn| alpn.as_bytes().to_vec()).collect()
        };
        Ok((config, verifier))
    }

    pub(super) fn server_name(&self) -> Result<ServerName<'static>, Stop> {
        ServerName::try_from(self.name().to_owned())
            .map_err(|_| Stop::own(Reason::Forbidden, format!("'{}' is no server name", self.name())))
    }
}

/// Says goodbye as a client does: `close_notify`, FIN, and reading what is still on its way, because closing a socket with
/// unread bytes would send a reset.
async fn leave(mut stream: TlsStream<TcpStream>, patience: Duration) {
    let goodbye = async {
        stream.shutdown().await?;
        let mut rest = [0; 4096];
        while stream.read(&mut rest).await? > 0 {}
        std::io::Result::Ok(())
    };
    // The outcome is known; a peer that does not wait for the goodbye is no failure.
    let _ = tokio::time::timeout(patience, goodbye).await;
}

fn version_word(version: ProtocolVersion) -> &'static str {
    match version {
        ProtocolVersion::TLSv1_2 => "TLS 1.2",
        ProtocolVersion::TLSv1_3 => "TLS 1.3",
        _ => "TLS",
    }
}
