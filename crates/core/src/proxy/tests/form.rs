//! What headers say when they are whole and in form.

use std::string::ToString as _;
use std::vec;

use proptest::prelude::*;

use super::draft::{
    ALPN, Draft, LOCAL, NOOP, PROXY, SSL, TCP4, TCP6, UDP4, UDP6, UNIQUE_ID, UNIX, UNIX_DATAGRAM, UNSPEC, claims,
};
use super::{bytes, claimed, parsed};
use crate::proxy::{ClaimedAddr, LONGEST, NoClaimedAddr, crc32c};

const SIGNATURE: &str = "0d0a0d0a 000d0a51 5549540a";

/// Captured from HAProxy 2.6 with `send-proxy-v2`, on loopback.
#[test]
fn what_haproxy_sends_is_understood() {
    let v4 = parsed(&bytes(&[SIGNATURE, "2111 000c 7f000001 7f000001 a072 4424"].concat()));
    assert_eq!(claimed(&v4), Some(["127.0.0.1:41074".into(), "127.0.0.1:17444".into()]));
    assert_eq!((v4.length, v4.local), (28, false));

    let one = "0000000000000000 0000000000000001";
    let v6 = parsed(&bytes(&[SIGNATURE, "2121 0024", one, one, "a072 4424"].concat()));
    assert_eq!(claimed(&v6), Some(["[::1]:41074".into(), "[::1]:17444".into()]));
    assert_eq!((v6.length, v6.local), (52, false));
}

#[test]
fn haproxys_own_check_claims_nothing() {
    let check = parsed(&bytes(&[SIGNATURE, "20 00 0000"].concat()));
    assert_eq!((check.length, check.local, claimed(&check)), (16, true, None));
}

#[test]
fn a_local_header_is_skipped_by_its_length_whatever_it_holds() {
    let wrong_checksum = [0x03, 0, 4, 0, 0, 0, 0];
    let cut_off = [0x04, 0xff, 0xff];
    for content in [&[][..], &[1], &[7; 11], &wrong_checksum, &cut_off, &[0xff; LONGEST - 16]] {
        for family in [UNSPEC, TCP4, UDP4, TCP6, UNIX, 0x13, 0x40, 0xff] {
            let header = parsed(&Draft::new(LOCAL, family, content).bytes());
            assert_eq!(
                (header.length, header.local, claimed(&header)),
                (16 + content.len(), true, None),
                "{family:#x}"
            );
        }
    }
}

#[test]
fn what_speaks_for_no_tcp_connection_claims_nothing() {
    for (family, addresses) in
        [(UDP4, 12), (UDP6, 36), (UNIX, 216), (UNIX_DATAGRAM, 216), (UNSPEC, 0), (0x10, 0), (0x20, 0), (0x30, 0)]
    {
        let header = parsed(&Draft::new(PROXY, family, &vec![1; addresses]).bytes());
        assert_eq!((header.length, header.local, claimed(&header)), (16 + addresses, false, None), "{family:#x}");
    }
}

#[test]
fn an_unspecified_header_is_skipped_as_nobody_knows_where_its_addresses_end() {
    for family in [UNSPEC, 0x01, 0x02, 0x10, 0x20, 0x30] {
        let header = parsed(&Draft::new(PROXY, family, &[0x03, 0, 4, 0, 0, 0, 0, 0xff, 0xff]).bytes());
        assert_eq!((header.length, claimed(&header)), (25, None), "{family:#x}");
    }
}

#[test]
fn extensions_that_nobody_here_knows_are_walked_past() {
    let draft = Draft::tcp(([192, 0, 2, 7], 1).into(), ([198, 51, 100, 1], 443).into())
        .with(ALPN, b"h2")
        // What an SSL extension holds is its readers' business.
        .with(SSL, &[1, 2])
        .with(NOOP, &[])
        .with(0xee, &[0; 200])
        .with(0xff, &[0xff; 3]);
    assert_eq!(claimed(&parsed(&draft.bytes())), Some(["192.0.2.7:1".into(), "198.51.100.1:443".into()]));
}

#[test]
fn a_unique_id_has_up_to_128_bytes() {
    let tcp = Draft::tcp(([192, 0, 2, 7], 1).into(), ([192, 0, 2, 8], 443).into());
    for length in [0, 1, 128] {
        assert!(claimed(&parsed(&tcp.clone().with(UNIQUE_ID, &vec![9; length]).bytes())).is_some(), "{length}");
    }
}

#[test]
fn the_longest_header_is_taken() {
    let tcp = Draft::tcp(([192, 0, 2, 7], 1).into(), ([192, 0, 2, 8], 443).into());
    assert_eq!(parsed(&tcp.padded_to(LONGEST).bytes()).length, 536);
}

#[test]
fn the_checksum_is_that_of_rfc_3720() {
    assert_eq!(crc32c::of(*b"123456789"), 0xe306_9283);
    assert_eq!(crc32c::of([0; 32]), 0x8a91_36aa);
    assert_eq!(crc32c::of([0xff; 32]), 0x62a8_ab43);
    assert_eq!(crc32c::of(0..32), 0x46dd_794e);
}

#[test]
fn a_claim_is_stored_as_text_and_read_back() {
    for text in ["192.0.2.7:443", "[2001:db8::7]:443", "[::ffff:192.0.2.7]:1", "0.0.0.0:0"] {
        assert_eq!(text.parse::<ClaimedAddr>().expect(text).to_string(), text);
    }
    for text in ["", "192.0.2.7", "192.0.2.7:65536", "edge.example:443", "[fe80::1%2]:443", "claimed 192.0.2.7:443"] {
        assert!(matches!(text.parse::<ClaimedAddr>(), Err(NoClaimedAddr)), "{text}");
    }
}

proptest! {
    #[test]
    fn what_was_written_is_read(((source, destination), draft) in claims()) {
        let bytes = draft.bytes();
        let header = parsed(&bytes);
        prop_assert_eq!(claimed(&header), Some([source.to_string(), destination.to_string()]));
        prop_assert_eq!((header.length, header.local), (bytes.len(), false));
    }
}
