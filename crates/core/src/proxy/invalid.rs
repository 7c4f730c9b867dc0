//! Why a header is refused.

use super::LONGEST;

/// The header breaks the protocol. Bytes are counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// The upper half of byte 12.
    #[error("PROXY header of version {0}: the forwarder must send version 2")]
    Version(u8),
    /// The lower half of byte 12.
    #[error("PROXY header with the command {0}: only 0 (LOCAL) and 1 (PROXY) exist")]
    Command(u8),
    /// The upper half of byte 13.
    #[error("PROXY header with the address family {0}: only 0 to 3 exist")]
    Family(u8),
    /// The lower half of byte 13.
    #[error("PROXY header with the transport {0}: only 0 to 2 exist")]
    Transport(u8),
    /// More than [`LONGEST`].
    #[error("PROXY header of {length} bytes: at most {LONGEST} are taken; let the forwarder send fewer extensions")]
    TooLong {
        /// Of the whole header, in bytes.
        length: usize,
    },
    /// The announced length has no room for the family's addresses.
    #[error("PROXY header with {announced} bytes behind byte 15: the addresses of its family alone take {needed}")]
    AddressesCutOff {
        /// Bytes behind the fixed part.
        announced: u16,
        /// Bytes that the addresses take.
        needed: usize,
    },
    /// An extension goes on beyond the header's end.
    #[error("PROXY header whose extension (TLV) at byte {at} goes on beyond the header's end")]
    TlvCutOff {
        /// Where its type stands.
        at: usize,
    },
    /// A checksum's value has another length than four bytes.
    #[error("PROXY header with a checksum (CRC32C) of {0} bytes: it has 4")]
    ChecksumLength(usize),
    /// More than one checksum.
    #[error("PROXY header with a second checksum (CRC32C): one is allowed")]
    ChecksumTwice,
    /// The checksum is not that of the header.
    #[error("PROXY header whose checksum (CRC32C) is wrong: it was damaged or forged on its way")]
    ChecksumWrong,
    /// An id longer than the protocol allows.
    #[error("PROXY header with a unique id of {0} bytes: at most 128 are allowed")]
    UniqueIdLength(usize),
}
