//! The PROXY header before a connection's own bytes: taken from edges, and from nobody else.
//!
//! The bytes are looked at where they lie, in the socket, and taken out only as far as they are surely a header's. What
//! follows is never touched, however it was cut into segments. To look alone would not do: a second look does not wait for
//! more than the first one saw. So what is a header's beginning is taken, and the next look waits for what comes behind it.

use quorate_core::proxy::{Header, Invalid, LONGEST, Parse, parse};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::arrival::Arrival;
use super::counters::Counters;
use super::limits::HEADER_BUDGET;
use crate::inventory::ProxyEntry;

/// Why there is no telling what an edge forwards.
#[derive(Debug, thiserror::Error)]
pub(super) enum HeaderFailure {
    /// The connection ended before its first byte.
    #[error("no byte")]
    Empty,
    /// It was required, and nothing came at all.
    #[error("no byte within {} s", HEADER_BUDGET.as_secs())]
    Silent,
    /// It began with something else, and had to begin with a header.
    #[error("no PROXY header: let the edge's forwarder send one (HAProxy: send-proxy-v2), or make it optional")]
    Missing,
    /// It was not whole in time.
    #[error("no whole PROXY header within {} s", HEADER_BUDGET.as_secs())]
    Slow,
    /// It ended or went astray in its middle.
    #[error("a PROXY header that breaks off")]
    BrokenOff,
    /// It breaks the protocol.
    #[error(transparent)]
    Invalid(#[from] Invalid),
}

/// Reads the header of a connection that comes through an edge, as the edge's policy demands, and writes down the claim.
pub(super) async fn read(
    stream: &mut TcpStream,
    arrival: &mut Arrival,
    counters: &Counters,
) -> Result<(), HeaderFailure> {
    let Some(through) = &mut arrival.through else { return Ok(()) };
    if through.proxy == ProxyEntry::Optional {
        // The first byte may be the client's own, who is further away; how it came is looked at again below.
        let _ = stream.peek(&mut [0]).await;
    }
    let mut taken = 0;
    let header = match timeout(HEADER_BUDGET, take(stream, &mut taken)).await {
        Ok(header) => header?,
        Err(_) if taken == 0 => return Err(HeaderFailure::Silent),
        Err(_) => return Err(HeaderFailure::Slow),
    };
    match (header, through.proxy) {
        (Some(header), _) => {
            if header.local { &counters.headers_local } else { &counters.headers_parsed }.one();
            through.claimed_addr = header.claim.map(|claim| claim.source);
            Ok(())
        }
        (None, ProxyEntry::Optional) => Ok(()),
        (None, ProxyEntry::Require) => Err(HeaderFailure::Missing),
    }
}

/// Whether the first bytes of a connection are those of a header.
pub(super) fn opens(bytes: &[u8]) -> bool {
    // Less than the signature is anybody's line feeds.
    bytes.len() >= OPENING && !matches!(parse(bytes), Parse::NotProxy)
}

/// As many bytes as tell a header from everything else.
pub(super) const OPENING: usize = 12;

/// Takes a header out of the stream, and says in `taken` how far it is; none if the stream begins with something else, of
/// which nothing is taken.
async fn take(stream: &mut TcpStream, taken: &mut usize) -> Result<Option<Header>, HeaderFailure> {
    let mut bytes = [0; LONGEST];
    loop {
        let known = match stream.peek(&mut bytes[*taken..]).await {
            Ok(seen @ 1..) => *taken + seen,
            // A reset says as little as an end.
            Ok(0) | Err(_) if *taken == 0 => return Err(HeaderFailure::Empty),
            Ok(0) | Err(_) => return Err(HeaderFailure::BrokenOff),
        };
        let (length, header) = match parse(&bytes[..known]) {
            Parse::Parsed(header) => (header.length, Some(header)),
            Parse::NeedMore => (known, None),
            Parse::NotProxy if *taken == 0 => return Ok(None),
            Parse::NotProxy => return Err(HeaderFailure::BrokenOff),
            Parse::Invalid(invalid) => return Err(invalid.into()),
        };
        // What was seen is there.
        stream.read_exact(&mut bytes[*taken..length]).await.map_err(|_| HeaderFailure::BrokenOff)?;
        *taken = length;
        if header.is_some() {
            return Ok(header);
        }
    }
}
