//! What is shown at the gateway's door, and why the door stayed shut.
//!
//! In TLS 1.3 a client is done before the server has looked at its certificate, so a refusal comes as an alert on a
//! connection that is already in use, and the layers above make mere words of it. It is listened for below them.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use rustls::{AlertDescription, ClientConfig};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// One identity, for as many connections as one attempt takes. Clones share what was heard.
#[derive(Debug, Clone)]
pub(crate) struct Credentials {
    config: Arc<ClientConfig>,
    refusal: Arc<OnceLock<AlertDescription>>,
}

impl Credentials {
    pub(crate) fn new(config: Arc<ClientConfig>) -> Self {
        Self { config, refusal: Arc::default() }
    }

    /// The first alert that came.
    pub(crate) fn refusal(&self) -> Option<AlertDescription> {
        self.refusal.get().copied()
    }

    pub(super) fn config(&self) -> Arc<ClientConfig> {
        Arc::clone(&self.config)
    }

    /// A stream on which they were shown, listened to.
    pub(super) fn listen<S>(&self, stream: S) -> Listening<S> {
        Listening { stream, refusal: Arc::clone(&self.refusal) }
    }
}

/// A TLS stream that is listened to.
#[derive(Debug)]
pub(super) struct Listening<S> {
    stream: S,
    refusal: Arc<OnceLock<AlertDescription>>,
}

impl<S> Listening<S> {
    fn note(&self, error: &io::Error) {
        let tls = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
        if let Some(rustls::Error::AlertReceived(alert)) = tls {
            let _ = self.refusal.set(*alert);
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Listening<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        if let Poll::Ready(Err(error)) = &read {
            self.note(error);
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Listening<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
