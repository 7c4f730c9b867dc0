//! HTTP/3's view of a QUIC connection whose peer may say only so much.
//!
//! Like a guest book with a page for each guest: whoever wants to fill the book is stopped at the end of his page. Frames of
//! HTTP/3 begin with their length, and a reader that wants whole ones keeps what has come until then, so a peer that
//! promises a gigabyte would be kept a gigabyte. What is read of all streams of a connection is therefore counted
//! together, and the connection ends where it is too much.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use bytes::Buf;
use h3::error::Code;
use h3::quic::{
    Connection, ConnectionErrorIncoming, OpenStreams, RecvStream, SendStream, StreamErrorIncoming, StreamId, WriteBuf,
};

#[cfg(test)]
mod tests;

/// All that a peer may say before the headers of its response are over, on all streams: browsers take headers of this size,
/// and what comes beside them is a few dozen bytes.
pub(super) const BYTES_MAX: usize = 64 * 1024;

/// A connection or a stream of one, with what is left for all of them.
pub(super) struct Rationed<T> {
    inner: T,
    left: Arc<AtomicUsize>,
}

impl Rationed<h3_quinn::Connection> {
    pub(super) fn new(connection: quinn::Connection) -> Self {
        Self { inner: h3_quinn::Connection::new(connection), left: Arc::new(AtomicUsize::new(BYTES_MAX)) }
    }
}

impl<T> Rationed<T> {
    fn share<U>(&self, inner: U) -> Rationed<U> {
        Rationed { inner, left: Arc::clone(&self.left) }
    }

    /// Takes `bytes` from what is left, if that is enough.
    fn take(&self, bytes: usize) -> Result<(), StreamErrorIncoming> {
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes));
        taken.map(drop).map_err(|_| StreamErrorIncoming::ConnectionErrorIncoming {
            connection_error: ConnectionErrorIncoming::InternalError(format!("more than {BYTES_MAX} bytes came")),
        })
    }
}

impl<B: Buf, T: Connection<B>> Connection<B> for Rationed<T> {
    type RecvStream = Rationed<T::RecvStream>;
    type OpenStreams = Rationed<T::OpenStreams>;

    fn poll_accept_recv(&mut self, cx: &mut Context<'_>) -> Poll<Result<Self::RecvStream, ConnectionErrorIncoming>> {
        let stream = ready!(self.inner.poll_accept_recv(cx))?;
        Poll::Ready(Ok(self.share(stream)))
    }

    fn poll_accept_bidi(&mut self, cx: &mut Context<'_>) -> Poll<Result<Self::BidiStream, ConnectionErrorIncoming>> {
        let stream = ready!(self.inner.poll_accept_bidi(cx))?;
        Poll::Ready(Ok(self.share(stream)))
    }

    fn opener(&self) -> Self::OpenStreams {
        self.share(self.inner.opener())
    }
}

impl<B: Buf, T: OpenStreams<B>> OpenStreams<B> for Rationed<T> {
    type BidiStream = Rationed<T::BidiStream>;
    type SendStream = T::SendStream;

    fn poll_open_bidi(&mut self, cx: &mut Context<'_>) -> Poll<Result<Self::BidiStream, StreamErrorIncoming>> {
        let stream = ready!(self.inner.poll_open_bidi(cx))?;
        Poll::Ready(Ok(self.share(stream)))
    }

    fn poll_open_send(&mut self, cx: &mut Context<'_>) -> Poll<Result<Self::SendStream, StreamErrorIncoming>> {
        self.inner.poll_open_send(cx)
    }

    fn close(&mut self, code: Code, reason: &[u8]) {
        self.inner.close(code, reason);
    }
}

impl<T: RecvStream> RecvStream for Rationed<T> {
    type Buf = T::Buf;

    fn poll_data(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Self::Buf>, StreamErrorIncoming>> {
        let data = ready!(self.inner.poll_data(cx))?;
        Poll::Ready(self.take(data.as_ref().map_or(0, Buf::remaining)).map(|()| data))
    }

    fn stop_sending(&mut self, error_code: u64) {
        self.inner.stop_sending(error_code);
    }

    fn recv_id(&self) -> StreamId {
        self.inner.recv_id()
    }
}

impl<B: Buf, T: SendStream<B>> SendStream<B> for Rationed<T> {
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), StreamErrorIncoming>> {
        self.inner.poll_ready(cx)
    }

    fn send_data<D: Into<WriteBuf<B>>>(&mut self, data: D) -> Result<(), StreamErrorIncoming> {
        self.inner.send_data(data)
    }

    fn poll_finish(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), StreamErrorIncoming>> {
        self.inner.poll_finish(cx)
    }

    fn reset(&mut self, reset_code: u64) {
        self.inner.reset(reset_code);
    }

    fn send_id(&self) -> StreamId {
        self.inner.send_id()
    }
}
