//! QUIC, then an HTTP/3 request and the response's headers.

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use h3::error::StreamError;
use hyper::Version;
use quinn::{Connection, ConnectionError};
use quorate_core::outcome::{FailureKind, Operation};

use super::quic_ration::{self, Rationed};
use super::{Run, Stop, failure};

/// `H3_NO_ERROR` of RFC 9114.
const NO_ERROR: u32 = 0x100;

impl Run<'_> {
    pub(super) async fn quic_http3(&mut self, address: SocketAddr) -> Result<Duration, Stop> {
        let call = self.quic_connect(address).await?;
        let connection = call.connection.clone();
        let request = self.request(Version::HTTP_3)?.map(drop);
        let asked = self.watch.elapsed();
        let exchange = async {
            let (mut driver, mut sender): (_, h3::client::SendRequest<_, Bytes>) = h3::client::builder()
                .send_grease(false)
                .max_field_section_size(quic_ration::BYTES_MAX as u64)
                .build(Rationed::new(connection.clone()))
                .await
                .map_err(|error| broken(&connection, &error, false))?;
            let refused =
                |error: StreamError| broken(&connection, &error, matches!(error, StreamError::RemoteTerminate { .. }));
            let ask = async {
                let mut stream = sender.send_request(request).await.map_err(refused)?;
                stream.finish().await.map_err(refused)?;
                stream.recv_response().await.map_err(refused)
            };
            tokio::select! {
                answer = ask => answer,
                error = std::future::poll_fn(|cx| driver.poll_close(cx)) => Err(broken(&connection, &error, false)),
            }
        };
        let ended = self.step(Operation::Read, exchange).await;
        let ended = match ended {
            Ok(answer) => {
                self.trace.first_byte = Some(self.watch.elapsed().saturating_sub(asked));
                self.check_status(answer.status().as_u16()).map(|()| self.watch.elapsed())
            }
            Err(stop) => Err(stop),
        };
        drop(connection);
        self.quic_leave(call, NO_ERROR).await;
        ended
    }
}

/// What QUIC says of the connection's end is more than what HTTP/3 does.
fn broken(connection: &Connection, error: &dyn std::error::Error, reset: bool) -> Stop {
    let kind = match connection.close_reason() {
        Some(ConnectionError::ApplicationClosed(_) | ConnectionError::ConnectionClosed(_)) => FailureKind::Eof,
        // HTTP/3 hung up, on something that it does not take.
        Some(ConnectionError::LocallyClosed) => FailureKind::HttpInvalid,
        Some(error) => failure::of_quic(&error),
        None if reset => FailureKind::ConnectionReset,
        None => FailureKind::HttpInvalid,
    };
    Stop::failed(Operation::Read, kind, error)
}
