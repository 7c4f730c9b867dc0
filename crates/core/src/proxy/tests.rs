mod draft;
mod form;
mod other_parsers;
mod pieces;
mod refusals;

use std::string::{String, ToString as _};
use std::vec::Vec;

use super::{Header, Invalid, Parse, parse};

/// Bytes from hexadecimal digits, with any white space.
fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.chars().filter_map(|c| c.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn parsed(bytes: &[u8]) -> Header {
    match parse(bytes) {
        Parse::Parsed(header) => header,
        other => panic!("{other:?}"),
    }
}

fn refused(bytes: &[u8]) -> Invalid {
    match parse(bytes) {
        Parse::Invalid(invalid) => invalid,
        other => panic!("{other:?}"),
    }
}

fn needs_more(bytes: &[u8]) -> bool {
    matches!(parse(bytes), Parse::NeedMore)
}

/// Source and destination as text.
fn claimed(header: &Header) -> Option<[String; 2]> {
    header.claim.as_ref().map(|claim| [claim.source.to_string(), claim.destination.to_string()])
}
