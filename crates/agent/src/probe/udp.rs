//! A connected UDP socket under QUIC that notes when the kernel says "port unreachable".
//!
//! A QUIC library ignores ICMP, as it must: anybody can forge it. For a probe it is evidence: a closed port differs from
//! a silent drop.

use std::fmt;
use std::io::{self, IoSliceMut};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use quinn::udp::{RecvMeta, Transmit};
use quinn::{AsyncUdpSocket, UdpPoller};
use tokio::sync::Notify;

/// Wraps the library's own socket.
pub(super) struct WatchedSocket {
    inner: Arc<dyn AsyncUdpSocket>,
    refused: Arc<Notify>,
}

impl WatchedSocket {
    /// The socket, and what is notified when the peer's port turns out to be closed.
    pub(super) fn new(inner: Arc<dyn AsyncUdpSocket>) -> (Arc<Self>, Arc<Notify>) {
        let refused = Arc::new(Notify::new());
        (Arc::new(Self { inner, refused: Arc::clone(&refused) }), refused)
    }
}

impl fmt::Debug for WatchedSocket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WatchedSocket").finish_non_exhaustive()
    }
}

impl AsyncUdpSocket for WatchedSocket {
    fn create_io_poller(self: Arc<Self>) -> Pin<Box<dyn UdpPoller>> {
        Arc::clone(&self.inner).create_io_poller()
    }

    fn try_send(&self, transmit: &Transmit<'_>) -> io::Result<()> {
        match self.inner.try_send(transmit) {
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                self.refused.notify_one();
                Ok(())
            }
            sent => sent,
        }
    }

    fn poll_recv(
        &self,
        cx: &mut Context<'_>,
        bufs: &mut [IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        match self.inner.poll_recv(cx, bufs, meta) {
            Poll::Ready(Err(error)) if error.kind() == io::ErrorKind::ConnectionRefused => {
                self.refused.notify_one();
                // Taking the error cleared it; there may be datagrams behind it.
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            polled => polled,
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.inner.local_addr()
    }

    fn max_transmit_segments(&self) -> usize {
        1
    }

    fn max_receive_segments(&self) -> usize {
        self.inner.max_receive_segments()
    }

    fn may_fragment(&self) -> bool {
        self.inner.may_fragment()
    }
}
