//! What holds for a knock on a TLS or HTTPS target that answers with any bytes: it ends within its budget in an outcome of the
//! closed list, whatever stands in the handshake, in the certificate or in the response, and leaves nothing behind. Read by the
//! fuzz target, and by the test of `quorate-agent` that replays its corpus.
//!
//! An input is a byte that says how the target behaves ([`Manner`]), and what it answers.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use quorate_core::probe::ProbeKind;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio_rustls::TlsAcceptor;

use crate::hostile::{self, Credentials};

/// Budgets are divided by this: 40 ms for a handshake, 75 ms with a page.
const SPEED: u32 = 200;

/// How a target behaves, by the first byte of an input.
#[derive(Debug, Clone, Copy)]
struct Manner {
    answer: Answer,
    kind: ProbeKind,
    verify: u8,
    http2: bool,
    ending: Ending,
}

/// Where the input stands in the answer.
#[derive(Debug, Clone, Copy)]
enum Answer {
    /// In place of everything.
    Raw,
    /// In place of the certificate of a real server.
    Certificate,
    /// In place of the response, within the TLS of a real server.
    Response,
    /// It says what to change in the answer of a real server: three bytes for each change, an offset (little-endian) and
    /// the bits to flip there.
    Edits,
}

/// What the target does after its answer.
#[derive(Debug, Clone, Copy)]
enum Ending {
    Close,
    Reset,
    /// Says no more and stays.
    Stay,
    /// Says the same again and again.
    Repeat,
}

impl Manner {
    fn of(byte: u8) -> Self {
        Self {
            answer: [Answer::Raw, Answer::Certificate, Answer::Response, Answer::Edits][usize::from(byte & 3)],
            kind: if byte & 4 == 0 { ProbeKind::Tls } else { ProbeKind::Https },
            verify: byte >> 3,
            http2: byte & 0x20 != 0,
            ending: [Ending::Close, Ending::Reset, Ending::Stay, Ending::Repeat][usize::from(byte >> 6)],
        }
    }
}

/// A place to be knocked at.
pub struct Bench {
    runtime: Runtime,
    credentials: Credentials,
    listener: TcpListener,
    address: SocketAddr,
}

impl Bench {
    /// On a port of its own.
    pub fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let listener = runtime.block_on(TcpListener::bind(("127.0.0.1", 0))).expect("a port");
        let address = listener.local_addr().expect("an address");
        Self { runtime, credentials: Credentials::new(), listener, address }
    }

    /// Panics where something does not hold; returns the word of the outcome.
    pub fn holds(&self, bytes: &[u8]) -> &'static str {
        let Some((first, bytes)) = bytes.split_first() else { return "" };
        let manner = Manner::of(*first);
        let before = hostile::descriptors();
        self.runtime.block_on(async {
            let verify = hostile::verify(manner.verify);
            let knock = hostile::knock(&self.credentials, manner.kind, verify, self.address, SPEED);
            let (trace, ()) = tokio::join!(knock, self.answer(manner, bytes));
            hostile::left_behind(before).await;
            hostile::word(&trace)
        })
    }

    /// Takes one connection and keeps it until the knock has ended.
    async fn answer(&self, manner: Manner, bytes: &[u8]) {
        let Ok(Ok((stream, _))) = tokio::time::timeout(Duration::from_secs(5), self.listener.accept()).await else {
            return;
        };
        // Whoever was knocked at and hung up upon is no failure.
        let _ = self.talk(manner, bytes, stream).await;
    }

    async fn talk(&self, manner: Manner, bytes: &[u8], mut stream: TcpStream) -> io::Result<()> {
        let alpn = if manner.http2 { "h2" } else { "http/1.1" };
        let page = b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nyes";
        match manner.answer {
            Answer::Raw => {
                let mut hello = [0; 4_096];
                let _ = stream.read(&mut hello).await?;
                say(&mut stream, bytes, manner.ending).await?;
                if matches!(manner.ending, Ending::Reset) {
                    return reset(stream);
                }
                leave(stream, manner.ending).await
            }
            Answer::Certificate => {
                let acceptor = self.acceptor(Some(bytes), alpn);
                let mut tls = acceptor.accept(stream).await?;
                say(&mut tls, page, manner.ending).await?;
                leave(tls, manner.ending).await
            }
            Answer::Response => {
                let mut tls = self.acceptor(None, alpn).accept(stream).await?;
                if matches!(manner.kind, ProbeKind::Https) {
                    let mut request = [0; 4_096];
                    let _ = tls.read(&mut request).await?;
                }
                say(&mut tls, bytes, manner.ending).await?;
                if matches!(manner.ending, Ending::Reset) {
                    return reset(tls.into_inner().0);
                }
                leave(tls, manner.ending).await
            }
            Answer::Edits => {
                let edited = Edited { stream, at: 0, edits: bytes };
                let mut tls = self.acceptor(None, alpn).accept(edited).await?;
                say(&mut tls, page, manner.ending).await?;
                leave(tls, manner.ending).await
            }
        }
    }

    fn acceptor(&self, shown: Option<&[u8]>, alpn: &str) -> TlsAcceptor {
        TlsAcceptor::from(Arc::new(self.credentials.server(shown, &[alpn])))
    }
}

async fn say(stream: &mut (impl AsyncWrite + Unpin), bytes: &[u8], ending: Ending) -> io::Result<()> {
    stream.write_all(bytes).await?;
    stream.flush().await?;
    if matches!(ending, Ending::Repeat) && !bytes.is_empty() {
        let again = bytes.repeat(1 + 16_384 / bytes.len());
        loop {
            stream.write_all(&again).await?;
        }
    }
    Ok(())
}

/// Waits until the other side has hung up.
async fn leave(mut stream: impl AsyncRead + AsyncWrite + Unpin, ending: Ending) -> io::Result<()> {
    if !matches!(ending, Ending::Stay) {
        stream.shutdown().await?;
    }
    let mut rest = [0; 4_096];
    while stream.read(&mut rest).await? > 0 {}
    Ok(())
}

/// What is dropped with a zero linger is reset.
fn reset(stream: TcpStream) -> io::Result<()> {
    stream.set_zero_linger()?;
    drop(stream);
    Ok(())
}

/// A stream that changes what is written to it.
struct Edited<'a> {
    stream: TcpStream,
    at: usize,
    edits: &'a [u8],
}

impl AsyncWrite for Edited<'_> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let mut bytes = bytes.to_vec();
        for edit in self.edits.chunks_exact(3) {
            let place = usize::from(u16::from_le_bytes([edit[0], edit[1]]));
            if let Some(byte) = place.checked_sub(self.at).and_then(|place| bytes.get_mut(place)) {
                *byte ^= edit[2];
            }
        }
        let written = ready!(Pin::new(&mut self.stream).poll_write(cx, &bytes))?;
        self.at += written;
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

impl AsyncRead for Edited<'_> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, into)
    }
}
