//! QUIC, then an HTTP/3 request and the response's headers.

use std::net::SocketAddr;
use std::time::Duration;

use h3::error::{ConnectionError, StreamError};
use hyper::Version;
use quorate_core::outcome::{FailureKind, Operation};

use super::{Run, Stop};

/// `H3_NO_ERROR` of RFC 9114.
const NO_ERROR: u32 = 0x100;

impl Run<'_> {
    pub(super) async fn quic_http3(&mut self, address: SocketAddr) -> Result<Duration, Stop> {
        let (endpoint, connection) = self.quic_connect(address).await?;
        let request = self.request(Version::HTTP_3)?.map(drop);
        let asked = self.watch.elapsed();
        let exchange = async {
            let (mut driver, mut sender) = h3::client::builder()
                .send_grease(false)
                .build(h3_quinn::Connection::new(connection.clone()))
                .await
                .map_err(|error| broken_connection(&error))?;
            let ask = async {
                let mut stream = sender.send_request(request).await.map_err(|error| broken(&error))?;
                stream.finish().await.map_err(|error| broken(&error))?;
                stream.recv_response().await.map_err(|error| broken(&error))
            };
            tokio::select! {
                answer = ask => answer,
                error = std::future::poll_fn(|cx| driver.poll_close(cx)) => Err(broken_connection(&error)),
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
        self.quic_leave(endpoint, connection, NO_ERROR).await;
        ended
    }
}

fn broken(error: &StreamError) -> Stop {
    match error {
        StreamError::ConnectionError(connection) => broken_connection(connection),
        StreamError::RemoteTerminate { .. } => Stop::failed(Operation::Read, FailureKind::Eof, error),
        _ => Stop::failed(Operation::Read, FailureKind::HttpInvalid, error),
    }
}

fn broken_connection(error: &ConnectionError) -> Stop {
    let kind = match error {
        ConnectionError::Timeout => FailureKind::Timeout,
        // Closed by the peer, or by QUIC itself: the library tells no more.
        ConnectionError::Remote(_) => FailureKind::Eof,
        _ => FailureKind::HttpInvalid,
    };
    Stop::failed(Operation::Read, kind, error)
}
