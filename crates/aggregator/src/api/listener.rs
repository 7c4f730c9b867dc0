//! The API's sockets: bounded in number, in the time a request's head may take, and in the time an end may take.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;

/// Most connections at a time: 256 readers of events, 512 of badges, and 256 for all else.
pub const CONNECTIONS_MAX: usize = 1024;
/// Longest that the head of a request may take to come, the first as well as the next.
const HEAD_MAX: Duration = Duration::from_secs(10);
/// Longest that answers under way are waited for at the end.
const END_MAX: Duration = Duration::from_secs(3);

/// Serves `router` until `stop`; answers that are under way then get a few seconds.
pub async fn serve(listener: TcpListener, router: Router, stop: CancellationToken) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let connections = TaskTracker::new();
    loop {
        // Taking the place first leaves a connection in the kernel's queue while there is none.
        let next = async {
            let place = places.clone().acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            next = next => next,
            () = stop.cancelled() => break,
        };
        match accepted {
            Ok((stream, from)) => {
                let (router, stop) = (router.clone(), stop.clone());
                connections.spawn(async move {
                    connection(stream, from, router, stop).await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "the API could not accept a connection");
                pause(&error).await;
            }
        }
    }
    connections.close();
    if tokio::time::timeout(END_MAX, connections.wait()).await.is_err() {
        tracing::info!(left = connections.len(), "the API ended with answers under way");
    }
}

/// A process without file descriptors would spin on accept.
async fn pause(error: &io::Error) {
    if !matches!(error.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset) {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

async fn connection(stream: TcpStream, from: SocketAddr, router: Router, stop: CancellationToken) {
    let service = router.map_request(move |request: Request<Incoming>| {
        let mut request = request.map(axum::body::Body::new);
        request.extensions_mut().insert(ConnectInfo(from));
        request
    });
    // HTTP/1.1 alone: it is what browsers and proxies speak without TLS, and a silent peer that may speak either, or that
    // only answers the pings of HTTP/2, would keep its place for ever.
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_MAX);
    let connection = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        // A reader that leaves in the middle is everyday.
        tracing::debug!(%from, %error, "a connection to the API broke");
    }
}
