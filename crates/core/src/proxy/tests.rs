//! Headers as they come.

use std::string::ToString as _;
use std::vec::Vec;

use super::{Header, Parse, parse};

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.chars().filter_map(|c| c.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn parsed(bytes: &[u8]) -> Header {
    match parse(bytes) {
        Parse::Parsed(header) => header,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_haproxy_sends_is_understood() {
    let header = parsed(&bytes("0d0a0d0a000d0a515549540a 2111 000c 7f000001 7f000001 a072 4424"));
    let claim = header.claim.expect("TCP over IPv4 claims its ends");
    assert_eq!(claim.source.to_string(), "127.0.0.1:41074");
    assert_eq!(claim.destination.to_string(), "127.0.0.1:17444");
    assert_eq!((header.length, header.local), (28, false));
}
