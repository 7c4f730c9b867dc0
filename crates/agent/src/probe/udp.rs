//! Listens for "port unreachable" beside QUIC.
//!
//! A QUIC library ignores ICMP, as it must: anybody can forge it. For a probe it is evidence: a closed port differs from
//! a silent drop. The kernel hands it to connected sockets only, as an error that wakes neither reader nor writer.

use std::io;

use tokio::io::Interest;
use tokio::net::UdpSocket;

/// The second handle on a QUIC socket, of which only the errors are taken.
pub(super) struct ErrorEar(UdpSocket);

impl ErrorEar {
    pub(super) fn on(socket: &std::net::UdpSocket) -> io::Result<Self> {
        UdpSocket::from_std(socket.try_clone()?).map(Self)
    }

    /// Ends when the kernel says that the peer's port is closed.
    pub(super) async fn refused(self) {
        loop {
            if self.0.ready(Interest::ERROR).await.is_err() {
                return std::future::pending().await;
            }
            // Taking nothing makes it wait for the next error.
            let taken = self.0.try_io(Interest::ERROR, || match self.0.take_error()? {
                Some(error) => Ok(error.kind()),
                None => Err(io::ErrorKind::WouldBlock.into()),
            });
            if matches!(taken, Ok(io::ErrorKind::ConnectionRefused)) {
                return;
            }
        }
    }
}
