//! The extensions behind the addresses: a type, a length in two bytes, a value. None is used here; each must end where the
//! header ends at the latest, and the two that have a form are held to it.

use core::ops::Range;

use super::crc32c;
use super::invalid::Invalid;

const CRC32C: u8 = 0x03;
const UNIQUE_ID: u8 = 0x05;

/// Type and length.
const FRAME: usize = 3;
/// The longest that the specification gives to a unique id.
const UNIQUE_ID_MAX: usize = 128;

/// Walks the extensions of a whole `header` from `at` to its end.
pub fn check(header: &[u8], mut at: usize) -> Result<(), Invalid> {
    let mut checksum: Option<Range<usize>> = None;
    while at < header.len() {
        let Some(&[kind, high, low]) = header.get(at..at + FRAME) else { return Err(Invalid::TlvCutOff { at }) };
        let value = at + FRAME..at + FRAME + usize::from(u16::from_be_bytes([high, low]));
        if value.end > header.len() {
            return Err(Invalid::TlvCutOff { at });
        }
        match kind {
            CRC32C if value.len() != size_of::<u32>() => return Err(Invalid::ChecksumLength(value.len())),
            CRC32C if checksum.is_some() => return Err(Invalid::ChecksumTwice),
            CRC32C => checksum = Some(value.clone()),
            UNIQUE_ID if value.len() > UNIQUE_ID_MAX => return Err(Invalid::UniqueIdLength(value.len())),
            _ => {}
        }
        at = value.end;
    }
    checksum.map_or(Ok(()), |value| check_sum(header, &value))
}

/// The checksum is that of the header with zeros in the checksum's place.
fn check_sum(header: &[u8], value: &Range<usize>) -> Result<(), Invalid> {
    let told = header[value.clone()].iter().fold(0, |told: u32, byte| told << 8 | u32::from(*byte));
    let zeroed = header.iter().enumerate().map(|(ix, byte)| if value.contains(&ix) { 0 } else { *byte });
    if crc32c::of(zeroed) == told { Ok(()) } else { Err(Invalid::ChecksumWrong) }
}
