//! The PROXY protocol, version 2: what a forwarder writes before a connection's own bytes to say whose they are.
//!
//! The everyday picture: a covering note on a parcel. It is read before the parcel is opened, it is put aside, and whoever
//! wrote it may have written anything. So a note yields a [`Claim`] and never an address: peers are told apart by what was
//! measured, and [`ClaimedAddr`] cannot be compared with that.
//!
//! A pure function of the bytes received so far, for any fragmentation: the caller keeps up to [`LONGEST`] bytes and asks
//! again with more, until the answer is another than [`Parse::NeedMore`]. That answer then stands whatever follows, comes
//! with the first byte that decides it, and costs one pass without allocating.
//!
//! The specification is HAProxy's `doc/proxy-protocol.txt`, section 2.2. Where it leaves a choice:
//! - version 1, the line of text, is no header here;
//! - a header of which nothing is used (LOCAL; UNSPEC as family or as transport) is skipped by its length, unread: nobody
//!   knows where its addresses end;
//! - a UNIX or datagram header holds no claim on a TCP connection, but is held to its form as any other.

mod address;
mod crc32c;
mod invalid;
mod tlv;

pub use self::address::{Claim, ClaimedAddr, NoClaimedAddr};
pub use self::invalid::Invalid;

/// The longest header taken, in bytes, its first 16 included: what the specification promises to fit into the smallest TCP
/// segment. No forwarder of ours comes near, and an attacker gets no more memory than this.
pub const LONGEST: usize = 536;

/// What every header opens with; nothing that speaks TLS, HTTP or SSH does.
const SIGNATURE: [u8; 12] = *b"\r\n\r\n\0\r\nQUIT\n";
/// Signature, version and command, family and transport, length of the rest.
const FIXED: usize = 16;

/// What the bytes received so far are.
#[derive(Debug, Clone)]
pub enum Parse {
    /// A whole header.
    Parsed(Header),
    /// The beginning of a header; never at [`LONGEST`] bytes.
    NeedMore,
    /// Something else: the first byte that departs from the signature is there.
    NotProxy,
    /// A header that breaks the protocol; the connection has no meaning.
    Invalid(Invalid),
}

/// A whole header.
#[derive(Debug, Clone)]
pub struct Header {
    /// Bytes that the header takes, at most [`LONGEST`]; the connection's own bytes follow.
    pub length: usize,
    /// What it says of a TCP connection's ends; `None` where it speaks for no TCP connection.
    pub claim: Option<Claim>,
    /// The forwarder opened the connection for itself, for instance to check whether somebody answers.
    pub local: bool,
}

/// What the bytes received so far are. Bytes beyond the header are not looked at.
pub fn parse(bytes: &[u8]) -> Parse {
    let known = bytes.len().min(SIGNATURE.len());
    if bytes[..known] != SIGNATURE[..known] {
        return Parse::NotProxy;
    }
    match header(bytes) {
        Ok(Some(header)) => Parse::Parsed(header),
        Ok(None) => Parse::NeedMore,
        Err(invalid) => Parse::Invalid(invalid),
    }
}

/// The header at the front of `bytes`, which open with as much of the signature as they have; `None` if it goes on.
fn header(bytes: &[u8]) -> Result<Option<Header>, Invalid> {
    let Some(&version_and_command) = bytes.get(12) else { return Ok(None) };
    let command = Command::of(version_and_command)?;
    let Some(&family_and_transport) = bytes.get(13) else { return Ok(None) };
    let content = match command {
        Command::Local => Content::Unread,
        Command::Proxy => Content::of(family_and_transport)?,
    };
    let Some(&[high, low]) = bytes.get(14..FIXED) else { return Ok(None) };
    let announced = u16::from_be_bytes([high, low]);
    let length = FIXED + usize::from(announced);
    if length > LONGEST {
        return Err(Invalid::TooLong { length });
    }
    if usize::from(announced) < content.addresses_length() {
        return Err(Invalid::AddressesCutOff { announced, needed: content.addresses_length() });
    }
    let Some(whole) = bytes.get(..length) else { return Ok(None) };
    if content != Content::Unread {
        tlv::check(whole, FIXED + content.addresses_length())?;
    }
    let addresses = &whole[FIXED..FIXED + content.addresses_length()];
    Ok(Some(Header { length, claim: content.claim(addresses), local: command == Command::Local }))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Command {
    Local,
    Proxy,
}

impl Command {
    fn of(byte: u8) -> Result<Self, Invalid> {
        match (byte >> 4, byte & 0x0f) {
            (2, 0) => Ok(Self::Local),
            (2, 1) => Ok(Self::Proxy),
            (2, command) => Err(Invalid::Command(command)),
            (version, _) => Err(Invalid::Version(version)),
        }
    }
}

/// What stands behind the fixed part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    /// Bytes that only the sender understands.
    Unread,
    /// Addresses of the family, then TLVs.
    Addresses(Family, Transport),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    Inet,
    Inet6,
    Unix,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Transport {
    Stream,
    Datagram,
}

impl Content {
    fn of(byte: u8) -> Result<Self, Invalid> {
        let family = match byte >> 4 {
            0 => None,
            1 => Some(Family::Inet),
            2 => Some(Family::Inet6),
            3 => Some(Family::Unix),
            family => return Err(Invalid::Family(family)),
        };
        let transport = match byte & 0x0f {
            0 => None,
            1 => Some(Transport::Stream),
            2 => Some(Transport::Datagram),
            transport => return Err(Invalid::Transport(transport)),
        };
        Ok(family.zip(transport).map_or(Self::Unread, |(family, transport)| Self::Addresses(family, transport)))
    }

    /// Bytes of source and destination together.
    const fn addresses_length(self) -> usize {
        match self {
            Self::Unread => 0,
            Self::Addresses(Family::Inet, _) => 12,
            Self::Addresses(Family::Inet6, _) => 36,
            Self::Addresses(Family::Unix, _) => 216,
        }
    }

    /// What a TCP header's addresses claim.
    fn claim(self, addresses: &[u8]) -> Option<Claim> {
        match self {
            Self::Addresses(Family::Inet, Transport::Stream) => Claim::from_block::<4>(addresses),
            Self::Addresses(Family::Inet6, Transport::Stream) => Claim::from_block::<16>(addresses),
            Self::Addresses(Family::Unix, _) | Self::Addresses(_, Transport::Datagram) | Self::Unread => None,
        }
    }
}

#[cfg(test)]
mod tests;
