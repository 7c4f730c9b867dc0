//! TLS, an HTTP request, and a body past the length at which some networks freeze a connection.

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty};
use hyper::body::{Body as _, Incoming};
use hyper::{Request, Response, Version, header};
use hyper_util::rt::{TokioExecutor, TokioIo};
use quorate_core::outcome::{FailureKind, Operation};
use tokio_util::task::AbortOnDropHandle;

use super::{GOODBYE, Run, Stop, failure};

impl Run<'_> {
    pub(super) async fn https(&mut self, address: SocketAddr) -> Result<Duration, Stop> {
        let stream = self.tls_connect(address).await?;
        let io = TokioIo::new(stream);
        let broken = |error: hyper::Error| Stop::failed(Operation::Write, failure::of_http(&error), error);
        // The connection runs beside and ends with this function, whatever happens.
        if self.trace.alpn.as_deref() == Some("h2") {
            let handshake = hyper::client::conn::http2::handshake(TokioExecutor::new(), io);
            let (mut sender, connection) =
                self.step(Operation::Write, async { handshake.await.map_err(broken) }).await?;
            let connection = AbortOnDropHandle::new(tokio::spawn(async move { drop(connection.await) }));
            let answer = sender.send_request(self.request(Version::HTTP_2)?);
            let latency = self.read(answer).await?;
            drop(sender);
            self.hang_up(connection).await;
            Ok(latency)
        } else {
            let handshake = hyper::client::conn::http1::handshake(io);
            let (mut sender, connection) =
                self.step(Operation::Write, async { handshake.await.map_err(broken) }).await?;
            let connection = AbortOnDropHandle::new(tokio::spawn(async move { drop(connection.await) }));
            let answer = sender.send_request(self.request(Version::HTTP_11)?);
            let latency = self.read(answer).await?;
            drop(sender);
            self.hang_up(connection).await;
            Ok(latency)
        }
    }

    pub(super) fn request(&self, version: Version) -> Result<Request<Empty<Bytes>>, Stop> {
        let name = self.name();
        let authority = match (name.contains(':'), self.probe.port) {
            (true, 443) => format!("[{name}]"),
            (true, port) => format!("[{name}]:{port}"),
            (false, 443) => name.to_owned(),
            (false, port) => format!("{name}:{port}"),
        };
        let request = Request::get(match version {
            Version::HTTP_11 => self.probe.path.clone(),
            _ => format!("https://{authority}{}", self.probe.path),
        });
        let request = match version {
            Version::HTTP_11 => request.header(header::HOST, authority).header(header::CONNECTION, "close"),
            _ => request,
        };
        request
            .version(version)
            .header(header::USER_AGENT, "Mozilla/5.0")
            .header(header::ACCEPT, "*/*")
            .body(Empty::new())
            .map_err(|error| Stop::own(quorate_core::outcome::Reason::Forbidden, error))
    }

    async fn read(
        &mut self,
        answer: impl Future<Output = hyper::Result<Response<Incoming>>>,
    ) -> Result<Duration, Stop> {
        let asked = self.watch.elapsed();
        let broken = |error: hyper::Error| Stop::failed(Operation::Read, failure::of_http(&error), error);
        let answer = self.step(Operation::Read, async { answer.await.map_err(broken) }).await?;
        self.trace.first_byte = Some(self.watch.elapsed().saturating_sub(asked));
        self.check_status(answer.status().as_u16())?;
        let mut body = answer.into_body();
        while self.trace.bytes < self.probe.min_bytes && !body.is_end_stream() {
            let frame = self.step(Operation::Read, async { body.frame().await.transpose().map_err(broken) }).await?;
            let Some(frame) = frame else { break };
            let bytes = frame.data_ref().map_or(0, Bytes::len);
            self.trace.bytes = self.trace.bytes.saturating_add(u32::try_from(bytes).unwrap_or(u32::MAX));
        }
        Ok(self.watch.elapsed())
    }

    pub(super) fn check_status(&self, status: u16) -> Result<(), Stop> {
        match self.probe.expect_status {
            Some(expected) if expected != status => Err(Stop::failed(
                Operation::Read,
                FailureKind::HttpUnexpectedStatus,
                format!("status {status}, expected {expected}"),
            )),
            _ => Ok(()),
        }
    }

    /// Lets the connection close itself; it is cut off if that takes too long.
    async fn hang_up(&self, connection: AbortOnDropHandle<()>) {
        let _ = tokio::time::timeout(self.scaled(GOODBYE), connection).await;
    }
}
