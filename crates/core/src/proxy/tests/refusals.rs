//! Both sides of every bound, and what a refusal says.

use std::string::ToString;
use std::vec;
use std::vec::Vec;

use expect_test::expect;
use proptest::prelude::*;

use super::draft::{
    ALPN, CRC32C, Draft, NOOP, PROXY, TCP4, TCP6, UDP4, UDP6, UNIQUE_ID, UNIX, UNIX_DATAGRAM, UNSPEC, claims,
};
use super::{claimed, needs_more, parsed, refused};
use crate::proxy::{FIXED, Invalid, SIGNATURE};

/// The fixed part alone.
fn fixed(command: u8, family: u8, announced: u16) -> Vec<u8> {
    [&SIGNATURE[..], &[command, family], &announced.to_be_bytes()].concat()
}

fn tcp4() -> Draft {
    Draft::tcp(([192, 0, 2, 7], 41_074).into(), ([192, 0, 2, 8], 443).into())
}

#[test]
fn a_foreign_version_or_command_is_refused_at_its_byte() {
    for byte in 0..=u8::MAX {
        let opening = [&SIGNATURE[..], &[byte]].concat();
        match (byte >> 4, byte & 15) {
            (2, 0 | 1) => assert!(needs_more(&opening), "{byte:#x}"),
            (2, command) => assert_eq!(refused(&opening), Invalid::Command(command)),
            (version, _) => assert_eq!(refused(&opening), Invalid::Version(version)),
        }
    }
}

#[test]
fn a_foreign_family_or_transport_is_refused_at_its_byte() {
    for byte in 0..=u8::MAX {
        let opening = [&SIGNATURE[..], &[PROXY, byte]].concat();
        match (byte >> 4, byte & 15) {
            (0..=3, 0..=2) => assert!(needs_more(&opening), "{byte:#x}"),
            (0..=3, transport) => assert_eq!(refused(&opening), Invalid::Transport(transport)),
            (family, _) => assert_eq!(refused(&opening), Invalid::Family(family)),
        }
    }
}

#[test]
fn a_header_that_is_too_long_is_refused_as_soon_as_it_says_so() {
    for command in [0x20, PROXY] {
        for family in [UNSPEC, TCP4, UNIX] {
            assert!(needs_more(&fixed(command, family, 520)));
            for announced in [521, 537, 0x0300, u16::MAX] {
                let length = FIXED + usize::from(announced);
                assert_eq!(refused(&fixed(command, family, announced)), Invalid::TooLong { length });
            }
        }
    }
}

#[test]
fn addresses_without_room_are_refused_as_soon_as_the_length_says_so() {
    for (family, needed) in [(TCP4, 12), (UDP4, 12), (TCP6, 36), (UDP6, 36), (UNIX, 216), (UNIX_DATAGRAM, 216)] {
        assert!(needs_more(&fixed(PROXY, family, needed)));
        for announced in [0, needed - 1] {
            let invalid = Invalid::AddressesCutOff { announced, needed: needed.into() };
            assert_eq!(refused(&fixed(PROXY, family, announced)), invalid, "{family:#x}");
        }
    }
}

#[test]
fn an_extension_ends_where_the_header_ends_at_the_latest() {
    let tcp4_and = |behind: &[u8]| Draft::new(PROXY, TCP4, &[&[7; 12], behind].concat()).bytes();
    assert!(claimed(&parsed(&tcp4_and(&[NOOP, 0, 0]))).is_some());
    assert!(claimed(&parsed(&tcp4_and(&[NOOP, 0, 1, 0]))).is_some());
    for cut_off in [&[NOOP][..], &[NOOP, 0], &[NOOP, 0, 1], &[NOOP, 1, 0, 0], &[NOOP, 0xff, 0xff], &[0xff; 9]] {
        assert_eq!(refused(&tcp4_and(cut_off)), Invalid::TlvCutOff { at: 28 });
    }
    assert_eq!(refused(&tcp4_and(&[NOOP, 0, 1, 0, NOOP, 0, 1])), Invalid::TlvCutOff { at: 32 });
    // It is held to its form on a connection of which nothing is claimed, too.
    assert_eq!(refused(&Draft::new(PROXY, UDP4, &[7; 13]).bytes()), Invalid::TlvCutOff { at: 28 });
    assert_eq!(refused(&Draft::new(PROXY, UNIX, &[7; 217]).bytes()), Invalid::TlvCutOff { at: 232 });
}

#[test]
fn a_unique_id_of_more_than_128_bytes_is_refused() {
    assert_eq!(refused(&tcp4().with(UNIQUE_ID, &[9; 129]).bytes()), Invalid::UniqueIdLength(129));
}

#[test]
fn a_checksum_stands_once_in_four_bytes_and_is_right() {
    let right = tcp4().with(ALPN, b"h2").sealed().with(NOOP, &[0; 5]);
    assert!(claimed(&parsed(&right.bytes())).is_some());
    assert_eq!(refused(&tcp4().with(CRC32C, &[0; 4]).bytes()), Invalid::ChecksumWrong);
    for length in [0, 3, 5, 8] {
        assert_eq!(refused(&tcp4().with(CRC32C, &vec![0; length]).bytes()), Invalid::ChecksumLength(length));
    }
    assert_eq!(refused(&tcp4().sealed().with(CRC32C, &[0; 4]).bytes()), Invalid::ChecksumTwice);
    assert_eq!(refused(&Draft::new(PROXY, UDP4, &[7; 12]).with(CRC32C, &[0; 4]).bytes()), Invalid::ChecksumWrong);
}

#[test]
fn a_refusal_says_what_is_wrong_in_one_line() {
    let lines: Vec<_> = [
        refused(&fixed(0x11, TCP4, 0)),
        refused(&fixed(0x22, TCP4, 0)),
        refused(&fixed(PROXY, 0x41, 0)),
        refused(&fixed(PROXY, 0x13, 0)),
        refused(&fixed(PROXY, TCP4, 600)),
        refused(&fixed(PROXY, TCP4, 11)),
        refused(&Draft::new(PROXY, TCP4, &[7; 13]).bytes()),
        refused(&tcp4().with(CRC32C, &[0; 3]).bytes()),
        refused(&tcp4().sealed().sealed().bytes()),
        refused(&tcp4().with(CRC32C, &[0; 4]).bytes()),
        refused(&tcp4().with(UNIQUE_ID, &[9; 129]).bytes()),
    ]
    .iter()
    .map(ToString::to_string)
    .collect();
    expect![[r"
        PROXY header of version 1: the forwarder must send version 2
        PROXY header with the command 2: only 0 (LOCAL) and 1 (PROXY) exist
        PROXY header with the address family 4: only 0 to 3 exist
        PROXY header with the transport 3: only 0 to 2 exist
        PROXY header of 616 bytes: at most 536 are taken; let the forwarder send fewer extensions
        PROXY header with 11 bytes behind byte 15: the addresses of its family alone take 12
        PROXY header whose extension (TLV) at byte 28 goes on beyond the header's end
        PROXY header with a checksum (CRC32C) of 3 bytes: it has 4
        PROXY header with a second checksum (CRC32C): one is allowed
        PROXY header whose checksum (CRC32C) is wrong: it was damaged or forged on its way
        PROXY header with a unique id of 129 bytes: at most 128 are allowed"]]
    .assert_eq(&lines.join("\n"));
}

proptest! {
    #[test]
    fn a_flipped_bit_in_sealed_addresses_is_noticed((_, draft) in claims(), bit in 0..96_usize) {
        let mut bytes = draft.sealed_once().bytes();
        bytes[FIXED + bit / 8] ^= 1 << (bit % 8);
        prop_assert_eq!(refused(&bytes), Invalid::ChecksumWrong);
    }

    #[test]
    fn a_header_that_lost_its_end_claims_nothing((_, draft) in claims(), lost in 1..=3_usize) {
        // The length was written for what is left.
        let mut bytes = draft.with(NOOP, &[0; 3]).bytes();
        let announced = (bytes.len() - FIXED - lost) as u16;
        bytes.truncate(FIXED + usize::from(announced));
        bytes[14..FIXED].copy_from_slice(&announced.to_be_bytes());
        let invalid = refused(&bytes);
        prop_assert!(matches!(invalid, Invalid::TlvCutOff { .. }), "{}", invalid);
    }
}
