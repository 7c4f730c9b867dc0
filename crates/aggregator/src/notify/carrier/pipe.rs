//! A connection that reads at most so much: an SMTP server that talks without end is cut off.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use lettre::transport::smtp::client::AsyncTokioStream;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// All that a conversation may say, TLS included: a chain of certificates and a few lines.
const READ_BYTES_MAX: u64 = 256 * 1024;

/// See the module.
#[derive(Debug)]
pub(super) struct Pipe<S> {
    stream: S,
    peer: SocketAddr,
    left: u64,
}

impl Pipe<TcpStream> {
    pub fn new(stream: TcpStream) -> io::Result<Self> {
        let peer = stream.peer_addr()?;
        Ok(Self { stream, peer, left: READ_BYTES_MAX })
    }
}

impl<S> Pipe<S> {
    /// The same around what was made of the stream: what that reads is bounded by the pipe inside.
    pub fn around(stream: S, peer: SocketAddr) -> Self {
        Self { stream, peer, left: READ_BYTES_MAX }
    }

    pub fn peer(&self) -> SocketAddr {
        self.peer
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Pipe<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        let count = (buf.filled().len() - before) as u64;
        match self.left.checked_sub(count) {
            Some(left) => {
                self.left = left;
                read
            }
            None => Poll::Ready(Err(io::Error::other(format!("it said more than {READ_BYTES_MAX} bytes")))),
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Pipe<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + Sync + std::fmt::Debug> AsyncTokioStream for Pipe<S> {
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.peer)
    }
}
