//! A QUIC v1 handshake, confirmed by the server.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use quinn::crypto::rustls::QuicClientConfig;
use quinn::{ClientConfig, Connection, Endpoint, EndpointConfig, TransportConfig, VarInt};
use quorate_core::outcome::{FailureKind, Operation, Reason};

use super::quic_tasks::Tasks;
use super::udp::ErrorEar;
use super::{GOODBYE, Run, Stop, failure, quic_ration};

/// What clients of a QUIC entry point offer.
const ALPN: [&str; 1] = ["h3"];

/// Most bytes of all streams that wait to be read: as many as are read at all.
const UNREAD_BYTES_MAX: u32 = quic_ration::BYTES_MAX as u32;

impl Run<'_> {
    pub(super) async fn quic(&mut self, address: SocketAddr) -> Result<Duration, Stop> {
        let call = self.quic_connect(address).await?;
        let latency = self.watch.elapsed();
        self.quic_leave(call, 0).await;
        Ok(latency)
    }

    pub(super) async fn quic_connect(&mut self, address: SocketAddr) -> Result<Call, Stop> {
        let own = |error: &dyn std::error::Error| Stop::own(Reason::NoResources, error);
        let (config, verifier) = self.client_config(&[&rustls::version::TLS13], &ALPN)?;
        let config = QuicClientConfig::try_from(config).map_err(|error| own(&error))?;
        let mut config = ClientConfig::new(Arc::new(config));
        config.transport_config(Arc::new(transport()));
        self.server_name()?;

        let socket = self.udp_socket(address)?;
        let ear = ErrorEar::on(&socket).map_err(|error| own(&error))?;
        let tasks = Tasks::default();
        let endpoint =
            Endpoint::new(EndpointConfig::default(), None, socket, tasks.runtime()).map_err(|error| own(&error))?;
        let connecting = endpoint.connect_with(config, address, self.name()).map_err(|error| own(&error))?;
        let handshake = async {
            let connection = connecting.await.map_err(|error| {
                let kind = verifier.refusal().unwrap_or_else(|| failure::of_quic(&error));
                Stop::failed(Operation::QuicHandshake, kind, error)
            })?;
            confirmed(&connection).await?;
            Ok(connection)
        };
        let ended = self
            .step(Operation::QuicHandshake, async {
                tokio::select! {
                    ended = handshake => ended,
                    () = ear.refused() => Err(Stop::failed(
                        Operation::QuicHandshake,
                        FailureKind::ConnectionRefused,
                        "the port is closed (ICMP port unreachable)",
                    )),
                }
            })
            .await;
        self.trace.certificate_ends_s = verifier.ends_s();
        let connection = ended?;
        self.trace.handshake = Some(self.watch.elapsed());
        self.trace.tls_version = Some("QUIC v1, TLS 1.3");
        let handshake = connection.handshake_data().and_then(|data| data.downcast().ok());
        self.trace.alpn = handshake
            .and_then(|data: Box<quinn::crypto::rustls::HandshakeData>| data.protocol)
            .map(|alpn| String::from_utf8_lossy(&alpn).into_owned());
        Ok(Call { connection, endpoint, tasks })
    }

    /// `CONNECTION_CLOSE`, and time for it to be sent.
    pub(super) async fn quic_leave(&self, call: Call, code: u32) {
        let Call { connection, endpoint, tasks } = call;
        connection.close(VarInt::from_u32(code), b"");
        drop(connection);
        let _ = tokio::time::timeout(self.scaled(GOODBYE), endpoint.wait_idle()).await;
        drop(tasks);
    }
}

/// A connection that was made, and all that goes with it.
pub(super) struct Call {
    pub(super) connection: Connection,
    endpoint: Endpoint,
    tasks: Tasks,
}

/// Waits for the server's `HANDSHAKE_DONE`. The library tells only its counter, so it is looked at, more and more rarely;
/// the caller's budget ends it.
async fn confirmed(connection: &Connection) -> Result<(), Stop> {
    let mut pause = Duration::from_millis(1);
    while connection.stats().frame_rx.handshake_done == 0 {
        if let Some(error) = connection.close_reason() {
            return Err(Stop::failed(Operation::QuicHandshake, failure::of_quic(&error), error));
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(Duration::from_millis(16));
    }
    Ok(())
}

fn transport() -> TransportConfig {
    let mut transport = TransportConfig::default();
    // The probe has its own budget; nothing of the path is learnt for later.
    transport.max_idle_timeout(None);
    transport.mtu_discovery_config(None);
    // What a peer may send unasked, or before it is read. HTTP/3 has three streams of each side's own, and room for those
    // that nobody knows.
    transport.max_concurrent_uni_streams(8_u32.into());
    transport.max_concurrent_bidi_streams(0_u32.into());
    transport.datagram_receive_buffer_size(None);
    transport.stream_receive_window(UNREAD_BYTES_MAX.into());
    transport.receive_window(UNREAD_BYTES_MAX.into());
    transport
}
