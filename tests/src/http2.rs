//! HTTP/2 and gRPC by hand (RFC 9113, RFC 7541): frames as a test wants them, good ones and others. A library would refuse to
//! write what these tests are about.

use std::io::{self, Read, Write};

use crate::caller::Call;

/// Kinds of frames.
pub mod kind {
    /// Bytes of a stream.
    pub const DATA: u8 = 0;
    /// The head of a request or an answer.
    pub const HEADERS: u8 = 1;
    /// The end of a stream, at once.
    pub const RST_STREAM: u8 = 3;
    /// What one side asks of the other.
    pub const SETTINGS: u8 = 4;
    /// Are you there?
    pub const PING: u8 = 6;
    /// The end of the connection.
    pub const GOAWAY: u8 = 7;
    /// More of a head.
    pub const CONTINUATION: u8 = 9;
}

/// Nothing more of the stream comes after it; an answer, on settings and pings.
pub const END_STREAM: u8 = 1;
/// See [`END_STREAM`].
pub const ACK: u8 = 1;
/// The head is whole.
pub const END_HEADERS: u8 = 4;

/// What a client says first.
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Bytes of a frame's head.
const HEAD_BYTES: usize = 9;
/// The one stream of a session.
const STREAM: u32 = 1;

/// A frame as it goes over the wire.
pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    let mut bytes = vec![length[1], length[2], length[3], kind, flags];
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// The head of a request to open a session, as HPACK without its tables.
pub fn session_head() -> Vec<u8> {
    // `:method POST` and `:scheme https` are entries 3 and 7 of the static table.
    let mut head = vec![0x83, 0x87];
    // Literals that are not indexed, their names entries 4, 1 and 31 of the table.
    literal(&mut head, &[0x04], "/quorate.v1.Agents/Session");
    literal(&mut head, &[0x01], "gateway");
    literal(&mut head, &[0x0f, 0x10], "application/grpc");
    head.push(0);
    text(&mut head, "te");
    text(&mut head, "trailers");
    head
}

fn literal(head: &mut Vec<u8>, name: &[u8], value: &str) {
    head.extend(name);
    text(head, value);
}

fn text(head: &mut Vec<u8>, text: &str) {
    head.push(u8::try_from(text.len()).expect("short texts"));
    head.extend(text.as_bytes());
}

/// A message as gRPC frames it.
pub fn message(bytes: &[u8]) -> Vec<u8> {
    let mut framed = vec![0];
    framed.extend((bytes.len() as u32).to_be_bytes());
    framed.extend(bytes);
    framed
}

/// A session, message by message, each in bytes of the test's own.
pub struct Session {
    call: Call,
    /// Bytes of the stream that are no whole message yet.
    unread: Vec<u8>,
}

impl Session {
    /// Begins one on a call that was taken.
    pub fn begin(mut call: Call) -> io::Result<Self> {
        // The rest of the gateway's settings: the head of that frame was how the call was known to be taken.
        call.stream().write_all(PREFACE)?;
        call.stream().write_all(&frame(kind::SETTINGS, 0, 0, &[]))?;
        call.stream().write_all(&frame(kind::HEADERS, END_HEADERS, STREAM, &session_head()))?;
        let settings = call.first_payload();
        io::copy(&mut Read::take(call.stream(), settings), &mut io::sink())?;
        call.stream().write_all(&frame(kind::SETTINGS, ACK, 0, &[]))?;
        Ok(Self { call, unread: Vec::new() })
    }

    /// Says a message.
    pub fn say(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.raw(&frame(kind::DATA, 0, STREAM, &message(bytes)))
    }

    /// Says anything.
    pub fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.call.stream().write_all(bytes)?;
        self.call.stream().flush()
    }

    /// Hears the next message; none when the stream has ended.
    pub fn hear(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            if let Some((length, rest)) = self.unread.split_first_chunk::<5>() {
                let length = u32::from_be_bytes([length[1], length[2], length[3], length[4]]) as usize;
                if rest.len() >= length {
                    let message = rest[..length].to_vec();
                    self.unread.drain(..5 + length);
                    return Ok(Some(message));
                }
            }
            let (kind, flags, payload) = self.next_frame()?;
            match kind {
                kind::DATA => self.unread.extend(payload),
                kind::SETTINGS if flags & ACK == 0 => self.raw(&frame(kind::SETTINGS, ACK, 0, &[]))?,
                kind::PING if flags & ACK == 0 => self.raw(&frame(kind::PING, ACK, 0, &payload))?,
                kind::RST_STREAM | kind::GOAWAY => return Ok(None),
                kind::HEADERS if flags & END_STREAM != 0 => return Ok(None),
                _ => {}
            }
        }
    }

    fn next_frame(&mut self) -> io::Result<(u8, u8, Vec<u8>)> {
        let mut head = [0; HEAD_BYTES];
        self.call.stream().read_exact(&mut head)?;
        let mut payload = vec![0; u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize];
        self.call.stream().read_exact(&mut payload)?;
        Ok((head[3], head[4], payload))
    }
}
