//! The one method of the agents' door, bound to one connection and the certificate behind it.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use hyper::body::Incoming as Body;
use quorate_proto::v1;
use tokio_stream::wrappers::ReceiverStream;
use tonic::server::{Grpc, StreamingService};
use tonic::{Status, Streaming};

use super::limits::MESSAGE_BYTES_MAX;
use super::session::Peer;
use super::wire::SessionCodec;

const SESSION_PATH: &str = "/quorate.v1.Agents/Session";

/// Serves the session of one connection.
#[derive(Clone)]
pub(super) struct AgentsService {
    peer: Arc<Peer>,
    taken: Arc<AtomicBool>,
}

impl AgentsService {
    pub(super) fn new(peer: Arc<Peer>) -> Self {
        Self { peer, taken: Arc::default() }
    }
}

type Answer = Pin<Box<dyn Future<Output = Result<Response<tonic::body::Body>, Infallible>> + Send>>;

impl tower::Service<Request<Body>> for AgentsService {
    type Response = Response<tonic::body::Body>;
    type Error = Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Answer {
        let refused = |status: Status| -> Answer { Box::pin(ready(Ok(status.into_http()))) };
        if request.uri().path() != SESSION_PATH {
            return refused(Status::unimplemented(format!("only {SESSION_PATH} is spoken here")));
        }
        if self.taken.swap(true, Relaxed) {
            return refused(Status::failed_precondition("this connection has a session already: open another one"));
        }
        let open = Open(Arc::clone(&self.peer));
        Box::pin(async move {
            let mut grpc =
                Grpc::new(SessionCodec).apply_max_message_size_config(Some(MESSAGE_BYTES_MAX), Some(usize::MAX));
            Ok(grpc.streaming(open, request).await)
        })
    }
}

struct Open(Arc<Peer>);

impl StreamingService<Bytes> for Open {
    type Response = v1::ToAgent;
    type ResponseStream = ReceiverStream<Result<v1::ToAgent, Status>>;
    type Future = Ready<Result<tonic::Response<Self::ResponseStream>, Status>>;

    fn call(&mut self, request: tonic::Request<Streaming<Bytes>>) -> Self::Future {
        ready(Ok(tonic::Response::new(Arc::clone(&self.0).open(request.into_inner()))))
    }
}
