//! The same header in any pieces.

use std::format;
use std::vec::Vec;

use proptest::collection;
use proptest::prelude::*;

use super::draft::{Draft, claims, valid};
use super::{bytes, needs_more, parsed};
use crate::proxy::{LONGEST, Parse, SIGNATURE, parse};

/// A driver: appends each piece to what it has and asks. The answer, and how many bytes it took.
fn fed<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Parse, usize) {
    let mut received = Vec::new();
    for piece in pieces {
        received.extend_from_slice(piece);
        match parse(&received) {
            Parse::NeedMore => {}
            answer => return (answer, received.len()),
        }
    }
    (Parse::NeedMore, received.len())
}

#[test]
fn nothing_yet_needs_more() {
    assert!(needs_more(&[]));
}

#[test]
fn a_stranger_is_known_by_the_first_byte_that_departs() {
    for at in 0..SIGNATURE.len() {
        let mut departs = SIGNATURE;
        departs[at] ^= 1;
        assert!(needs_more(&departs[..at]), "{at}");
        assert!(matches!(parse(&departs[..=at]), Parse::NotProxy), "{at}");
    }
    let client_hello = [0x16, 3, 1];
    for stranger in [&client_hello[..], b"P", b"PROXY TCP4 192.0.2.7 192.0.2.8 1 443\r\n", b"GET / HTTP/1.1\r\n"] {
        assert!(matches!(parse(stranger), Parse::NotProxy), "{stranger:?}");
    }
}

/// One parser of this protocol panics on it: 137 bytes are announced and 12 are there.
#[test]
fn a_local_header_that_has_not_come_whole_needs_more() {
    assert!(needs_more(&bytes("0d0a0d0a000d0a515549540a20120089cb007107c6336409303901d9")));
}

#[test]
fn the_longest_header_needs_its_last_byte() {
    let tcp = Draft::tcp(([192, 0, 2, 7], 1).into(), ([192, 0, 2, 8], 443).into());
    let longest = tcp.padded_to(LONGEST).bytes();
    assert!(needs_more(&longest[..LONGEST - 1]));
    assert_eq!(parsed(&longest).length, LONGEST);
}

proptest! {
    #[test]
    fn every_strict_prefix_of_a_valid_header_needs_more(header in valid()) {
        for cut in 0..header.len() {
            prop_assert!(needs_more(&header[..cut]), "{cut}");
        }
        prop_assert_eq!(parsed(&header).length, header.len());
    }

    #[test]
    fn byte_by_byte_the_answer_comes_with_the_last_byte(header in valid()) {
        let (answer, taken) = fed(header.chunks(1));
        prop_assert_eq!(taken, header.len());
        prop_assert_eq!(format!("{answer:?}"), format!("{:?}", parse(&header)));
    }

    #[test]
    fn the_answer_is_the_same_in_two_pieces_and_in_one(
        header in valid(),
        at in any::<prop::sample::Index>(),
        follows in collection::vec(any::<u8>(), 0..64),
    ) {
        let stream = [&header[..], &follows].concat();
        let (first, second) = stream.split_at(at.index(stream.len()));
        let (answer, _) = fed([first, second]);
        prop_assert_eq!(format!("{answer:?}"), format!("{:?}", parse(&header)));
    }

    #[test]
    fn what_follows_a_header_is_left_alone((_, draft) in claims(), follows in collection::vec(any::<u8>(), 0..64)) {
        let header = draft.bytes();
        let stream = [&header[..], &follows].concat();
        prop_assert_eq!(format!("{:?}", parse(&stream)), format!("{:?}", parse(&header)));
        prop_assert_eq!(&stream[parsed(&stream).length..], &follows[..]);
    }

    /// What was refused once is not taken later, and the reason does not change.
    #[test]
    fn an_answer_stands_whatever_follows(
        mut header in valid(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        follows in collection::vec(any::<u8>(), 0..64),
    ) {
        let at = at.index(header.len());
        header[at] = byte;
        header.extend(follows);
        let (answer, taken) = fed(header.chunks(1));
        for more in taken..=header.len() {
            prop_assert_eq!(format!("{answer:?}"), format!("{:?}", parse(&header[..more])));
        }
    }
}
