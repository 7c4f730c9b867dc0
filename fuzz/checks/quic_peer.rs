//! What holds for a knock on a QUIC or HTTP/3 target that answers with any bytes: it ends within its budget in an outcome of
//! the closed list, whatever stands in packets, frames, certificate or streams, and leaves nothing behind. Read by the fuzz
//! target, and by the test of `quorate-agent` that replays its corpus.
//!
//! An input is a byte that says how the target behaves ([`Manner`]), and what it answers.

use std::net::SocketAddr;
use std::sync::Arc;

use quinn::Endpoint;
use quinn::crypto::rustls::QuicServerConfig;
use quorate_core::probe::ProbeKind;
use rustls::Side;
use rustls::quic::Version;
use tokio::net::UdpSocket;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::hostile::{self, Credentials};

/// Budgets are divided by this where a whole handshake is made: 100 ms.
const SPEED: u32 = 100;
/// And this where no handshake ends well, so that most knocks last as long as they may: 25 ms.
const SPEED_OF_SILENCE: u32 = 400;

/// How a target behaves, by the first byte of an input.
#[derive(Debug, Clone, Copy)]
struct Manner {
    answer: Answer,
    kind: ProbeKind,
    verify: u8,
    ending: Ending,
}

/// Where the input stands in the answer.
#[derive(Debug, Clone, Copy)]
enum Answer {
    /// In place of the answer to the first datagram.
    Datagrams,
    /// As frames of an Initial packet that is sealed as it must be.
    Frames,
    /// In place of the certificate of a real server.
    Certificate,
    /// In place of HTTP/3 on the streams of a real server.
    Streams,
}

/// What the target does after its answer.
#[derive(Debug, Clone, Copy)]
enum Ending {
    /// Ends its streams.
    Finish,
    /// Closes the connection, with the input as its reason.
    Close,
    /// Says no more and stays.
    Stay,
    /// Says the same again and again.
    Repeat,
}

impl Manner {
    fn of(byte: u8) -> Self {
        Self {
            answer: [Answer::Datagrams, Answer::Frames, Answer::Certificate, Answer::Streams][usize::from(byte & 3)],
            kind: if byte & 4 == 0 { ProbeKind::Quic } else { ProbeKind::QuicHttp3 },
            verify: byte >> 3,
            ending: [Ending::Finish, Ending::Close, Ending::Stay, Ending::Repeat][usize::from(byte >> 6)],
        }
    }
}

/// A place to be knocked at.
pub struct Bench {
    runtime: Runtime,
    credentials: Credentials,
    server: Endpoint,
}

impl Bench {
    /// Whoever makes whole handshakes has one port, whoever does not a new one each time.
    pub fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let credentials = Credentials::new();
        let within = runtime.enter();
        let config = server_config(&credentials, None);
        let server = Endpoint::server(config, SocketAddr::from(([127, 0, 0, 1], 0))).expect("a port");
        drop(within);
        Self { runtime, credentials, server }
    }

    /// Panics where something does not hold; returns the word of the outcome.
    pub fn holds(&self, bytes: &[u8]) -> &'static str {
        let Some((first, bytes)) = bytes.split_first() else { return "" };
        let manner = Manner::of(*first);
        let before = hostile::descriptors();
        self.runtime.block_on(async {
            let word = match manner.answer {
                Answer::Datagrams | Answer::Frames => self.without_handshake(manner, bytes).await,
                Answer::Certificate => self.with_handshake(manner, Some(bytes), b"").await,
                Answer::Streams => self.with_handshake(manner, None, bytes).await,
            };
            hostile::left_behind(before).await;
            word
        })
    }

    async fn without_handshake(&self, manner: Manner, bytes: &[u8]) -> &'static str {
        let socket = UdpSocket::bind(("127.0.0.1", 0)).await.expect("a port");
        let target = socket.local_addr().expect("an address");
        let verify = hostile::verify(manner.verify);
        let knock = hostile::knock(&self.credentials, manner.kind, verify, target, SPEED_OF_SILENCE);
        tokio::select! {
            trace = knock => hostile::word(&trace),
            () = answer(&socket, manner, bytes) => unreachable!("a target answers until the knock has ended"),
        }
    }

    async fn with_handshake(&self, manner: Manner, shown: Option<&[u8]>, said: &[u8]) -> &'static str {
        self.server.set_server_config(Some(server_config(&self.credentials, shown)));
        let target = self.server.local_addr().expect("an address");
        let verify = hostile::verify(manner.verify);
        let knock = hostile::knock(&self.credentials, manner.kind, verify, target, SPEED);
        tokio::select! {
            trace = knock => hostile::word(&trace),
            () = self.serve(manner, said) => unreachable!("a target serves until the knock has ended"),
        }
    }

    /// Whoever comes, also one whose knock ended before he was heard.
    async fn serve(&self, manner: Manner, said: &[u8]) {
        let mut talks = JoinSet::new();
        while let Some(incoming) = self.server.accept().await {
            let said = said.to_vec();
            talks.spawn(async move {
                let connection = incoming.await.ok()?;
                let _ = talk(&connection, manner, &said).await;
                // Until the other side hangs up.
                Some(connection.closed().await)
            });
        }
    }
}

fn server_config(credentials: &Credentials, shown: Option<&[u8]>) -> quinn::ServerConfig {
    let config = QuicServerConfig::try_from(credentials.server(shown, &["h3"]));
    quinn::ServerConfig::with_crypto(Arc::new(config.expect("a QUIC server")))
}

/// Answers each datagram. The input is the row of datagrams that come at once, each with its length before it in two bytes
/// (little-endian), or the frames of one packet.
async fn answer(socket: &UdpSocket, manner: Manner, bytes: &[u8]) {
    let mut received = [0; 2_048];
    let mut number = 0;
    loop {
        let Ok((length, from)) = socket.recv_from(&mut received).await else { continue };
        let mut rest = bytes;
        if matches!(manner.answer, Answer::Frames) {
            if let Some(packet) = initial(&received[..length], number, bytes) {
                let _ = socket.send_to(&packet, from).await;
            }
            number += 1;
            rest = &[];
        }
        while let [low, high, others @ ..] = rest {
            let length = usize::from(u16::from_le_bytes([*low, *high])).min(others.len());
            let (datagram, others) = others.split_at(length);
            let _ = socket.send_to(datagram, from).await;
            rest = others;
        }
        while matches!(manner.ending, Ending::Repeat) && !bytes.is_empty() {
            let _ = socket.send_to(&bytes[..bytes.len().min(1_200)], from).await;
            tokio::task::yield_now().await;
        }
    }
}

/// An Initial packet of the server with these frames, sealed with the keys that follow from the client's first datagram (RFC
/// 9001, 5.2). None if that was no Initial packet.
fn initial(received: &[u8], number: u32, frames: &[u8]) -> Option<Vec<u8>> {
    const OWN_ID: [u8; 8] = *b"hostile!";
    let [first, _, _, _, _, rest @ ..] = received else { return None };
    let (length, rest) = rest.split_first().filter(|_| first & 0xf0 == 0xc0)?;
    let (destination, rest) = rest.split_at_checked(usize::from(*length))?;
    let (length, rest) = rest.split_first()?;
    let (source, _) = rest.split_at_checked(usize::from(*length))?;
    let suite = rustls::crypto::ring::cipher_suite::TLS13_AES_128_GCM_SHA256.tls13()?.quic_suite()?;
    let keys = suite.keys(destination, Side::Server, Version::V1);

    let number = number.to_be_bytes();
    let mut payload = frames[..frames.len().min(1_100)].to_vec();
    // The sample for the header's protection begins four bytes after the number does.
    payload.resize(payload.len().max(4), 0);
    let length = number.len() + payload.len() + keys.local.packet.tag_len();
    let mut packet = vec![0xc3, 0, 0, 0, 1, source.len() as u8];
    packet.extend(source);
    packet.push(OWN_ID.len() as u8);
    packet.extend(OWN_ID);
    packet.push(0);
    packet.extend((0x4000 | length as u16).to_be_bytes());
    let at = packet.len();
    packet.extend(number);
    let tag = keys.local.packet.encrypt_in_place(u32::from_be_bytes(number).into(), &packet, &mut payload).ok()?;
    packet.extend(payload);
    packet.extend(tag.as_ref());
    let (header, sample) = packet.split_at_mut(at + 4);
    let (first, numbers) = header.split_first_mut()?;
    let numbers_at = numbers.len() - 4;
    let sample = &sample[..keys.local.header.sample_len()];
    keys.local.header.encrypt_in_place(sample, first, &mut numbers[numbers_at..]).ok()?;
    Some(packet)
}

/// Says the first part of the input on a stream of the server's own and the rest in answer to a request; the first byte says
/// how long the first part is.
async fn talk(connection: &quinn::Connection, manner: Manner, said: &[u8]) -> Option<()> {
    let (length, said) = said.split_first()?;
    let (control, response) = said.split_at(usize::from(*length).min(said.len()));
    let mut own = connection.open_uni().await.ok()?;
    own.write_all(control).await.ok()?;
    if let Ending::Close = manner.ending {
        connection.close(u32::from(*length).into(), said);
        return Some(());
    }
    if matches!(manner.kind, ProbeKind::Quic) {
        own.write_all(response).await.ok()?;
        while matches!(manner.ending, Ending::Repeat) && !response.is_empty() {
            own.write_all(&response.repeat(1 + 16_384 / response.len().max(1))).await.ok()?;
        }
        connection.closed().await;
        return Some(());
    }
    let (mut answer, mut request) = connection.accept_bi().await.ok()?;
    let _ = request.read_to_end(4_096).await;
    answer.write_all(response).await.ok()?;
    match manner.ending {
        Ending::Finish => answer.finish().ok()?,
        Ending::Repeat if !response.is_empty() => {
            let again = response.repeat(1 + 16_384 / response.len());
            loop {
                answer.write_all(&again).await.ok()?;
            }
        }
        Ending::Close | Ending::Stay | Ending::Repeat => {}
    }
    // An answer that is dropped is reset.
    connection.closed().await;
    drop((own, answer));
    Some(())
}
