//! CRC-32C (Castagnoli), as in RFC 4960, appendix B.

/// The polynomial 0x1edc6f41 with its bits reversed: bytes go in with the lowest bit first.
const POLYNOMIAL: u32 = 0x82f6_3b78;

/// The checksum of `bytes`. Bit by bit: a header is short, and a table would be longer than the code.
pub fn of(bytes: impl IntoIterator<Item = u8>) -> u32 {
    let with_byte = |crc: u32, byte: u8| (0..8).fold(crc ^ u32::from(byte), |crc, _| with_bit(crc));
    !bytes.into_iter().fold(u32::MAX, with_byte)
}

const fn with_bit(crc: u32) -> u32 {
    if crc & 1 == 0 { crc >> 1 } else { (crc >> 1) ^ POLYNOMIAL }
}
