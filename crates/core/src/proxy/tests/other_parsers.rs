//! Two other parsers of the protocol, and each way in which their answers differ from ours. A difference that is not listed
//! here fails a property; one that is listed and no longer there fails its example.
//!
//! Where they leave the specification:
//! - `ppp` judges a LOCAL header by its family and its room for addresses, and refuses what must be accepted;
//! - `ppp` takes a unique id of any length;
//! - `proxy-protocol-rs` looks for a checksum in what a LOCAL header holds, and refuses what must be accepted.
//!
//! Where the specification leaves a choice: `ppp` checks no checksum and reads addresses under an unspecified transport;
//! `proxy-protocol-rs` refuses an unspecified header, reads into SSL extensions, and speaks version 1; both have no upper
//! bound and answer later than they could.

use std::boxed::Box;
use std::format;
use std::string::{String, ToString as _};
use std::vec;
use std::vec::Vec;

use ppp::PartialResult as _;
use ppp::v2::{Addresses, Builder, Command, Protocol, Type, Version};
use proptest::collection;
use proptest::prelude::*;
use proxy_protocol_rs::{HeaderBuilder, ParseError};

use super::draft::{
    ALPN, CRC32C, Draft, LOCAL, NOOP, PROXY, SSL, TCP4, UDP4, UNIQUE_ID, UNIX, UNSPEC, claims, ends, valid,
};
use super::{claimed, parsed};
use crate::proxy::{FIXED, Invalid, LONGEST, Parse, SIGNATURE, parse};

/// What a parser tells, as far as all of them do.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Told {
    Header { length: usize, claim: Option<[String; 2]> },
    More,
    Stranger,
    Refused,
}

/// The difference that explains why one parser answers otherwise than we do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Difference {
    /// Of a header that must be skipped something is read.
    ReadsLocal,
    /// A unique id may have any length.
    TakesLongIds,
    /// A checksum may be wrong, double or of any length.
    TakesAnyChecksum,
    /// More than [`LONGEST`] bytes are waited for, and taken.
    HasNoBound,
    /// What a byte that is there decides is told later.
    Waits,
    /// Under an unspecified transport addresses and extensions are read all the same.
    ReadsUnspecified,
    /// An unspecified header is refused.
    RefusesUnspecified,
    /// An SSL extension is held to its form.
    ReadsSsl,
    /// A line of version 1 is read.
    ReadsVersion1,
}

use Difference::{
    HasNoBound, ReadsLocal, ReadsSsl, ReadsUnspecified, ReadsVersion1, RefusesUnspecified, TakesAnyChecksum,
    TakesLongIds, Waits,
};

fn ours(bytes: &[u8]) -> Told {
    match parse(bytes) {
        Parse::Parsed(header) => Told::Header { length: header.length, claim: claimed(&header) },
        Parse::NeedMore => Told::More,
        Parse::NotProxy => Told::Stranger,
        Parse::Invalid(_) => Told::Refused,
    }
}

fn ppp(bytes: &[u8]) -> Told {
    use ppp::v2::{Header, ParseError};
    let header = match Header::try_from(bytes) {
        Ok(header) => header,
        Err(error) if error.is_incomplete() => return Told::More,
        Err(ParseError::Prefix) => return Told::Stranger,
        Err(_) => return Told::Refused,
    };
    if header.command == Command::Proxy && header.tlvs().any(|tlv| tlv.is_err()) {
        return Told::Refused;
    }
    let claim = match (header.command, header.protocol, header.addresses) {
        (Command::Proxy, Protocol::Stream, Addresses::IPv4(ends)) => Some([
            format!("{}:{}", ends.source_address, ends.source_port),
            format!("{}:{}", ends.destination_address, ends.destination_port),
        ]),
        (Command::Proxy, Protocol::Stream, Addresses::IPv6(ends)) => Some([
            format!("[{}]:{}", ends.source_address, ends.source_port),
            format!("[{}]:{}", ends.destination_address, ends.destination_port),
        ]),
        _ => None,
    };
    Told::Header { length: header.len(), claim }
}

fn proxy_protocol_rs(bytes: &[u8]) -> Told {
    use proxy_protocol_rs::TransportProtocol::Stream;
    let (header, length) = match proxy_protocol_rs::parse(bytes) {
        Ok(parsed) => parsed,
        Err(ParseError::Incomplete) => return Told::More,
        Err(ParseError::NotProxyProtocol) => return Told::Stranger,
        Err(_) => return Told::Refused,
    };
    let is_stream = header.transport.is_some_and(|transport| transport.protocol == Stream);
    let ends = header.source_inet().zip(header.destination_inet()).filter(|_| is_stream);
    Told::Header { length, claim: ends.map(|(source, destination)| [source.to_string(), destination.to_string()]) }
}

/// What `bytes`, to which we answer otherwise, show of `ppp`.
fn difference_of_ppp(bytes: &[u8], theirs: &Told) -> Option<Difference> {
    let is_header = matches!(theirs, Told::Header { .. });
    match parse(bytes) {
        Parse::Invalid(Invalid::TooLong { .. }) => Some(HasNoBound),
        Parse::NeedMore | Parse::Parsed(_) if *theirs == Told::Refused => match (bytes[12], bytes[13] & 15) {
            (LOCAL, _) => Some(ReadsLocal),
            (PROXY, 0) => Some(ReadsUnspecified),
            _ => None,
        },
        Parse::Invalid(_) if *theirs == Told::More && bytes.len() < FIXED => Some(Waits),
        Parse::Invalid(Invalid::UniqueIdLength(_)) if is_header => Some(TakesLongIds),
        Parse::Invalid(Invalid::ChecksumWrong | Invalid::ChecksumTwice | Invalid::ChecksumLength(_)) if is_header => {
            Some(TakesAnyChecksum)
        }
        _ => None,
    }
}

/// What `bytes`, to which we answer otherwise, show of `proxy-protocol-rs`.
fn difference_of_proxy_protocol_rs(bytes: &[u8], theirs: &Told) -> Option<Difference> {
    match parse(bytes) {
        Parse::Invalid(Invalid::TooLong { .. }) => Some(HasNoBound),
        Parse::NotProxy if bytes[0] == b'P' => Some(ReadsVersion1),
        Parse::NotProxy | Parse::Invalid(_) if *theirs == Told::More => Some(Waits),
        Parse::Parsed(_) if *theirs == Told::Refused => match (bytes[12], bytes[13] >> 4, bytes[13] & 15) {
            (LOCAL, ..) => Some(ReadsLocal),
            (_, 0, _) | (_, _, 0) => Some(RefusesUnspecified),
            _ if bytes.contains(&SSL) => Some(ReadsSsl),
            _ => None,
        },
        _ => None,
    }
}

fn tcp4() -> Draft {
    Draft::tcp(([192, 0, 2, 7], 41_074).into(), ([192, 0, 2, 8], 443).into())
}

fn tcp4_told(length: usize) -> Told {
    Told::Header { length, claim: Some(["192.0.2.7:41074".into(), "192.0.2.8:443".into()]) }
}

const fn no_claim(length: usize) -> Told {
    Told::Header { length, claim: None }
}

/// Bytes, our answer, theirs, and why.
type Example = (Vec<u8>, Told, Told, Difference);

fn of_ppp() -> Vec<Example> {
    let long_id = tcp4().with(UNIQUE_ID, &[9; 129]).bytes();
    let wrong_checksum = tcp4().with(CRC32C, &[0; 4]).bytes();
    let short_checksum = tcp4().with(CRC32C, &[0; 3]).bytes();
    let two_checksums = tcp4().sealed().with(CRC32C, &[0; 4]).bytes();
    let too_long = tcp4().padded_to(LONGEST + 1).bytes();
    vec![
        (Draft::new(LOCAL, TCP4, &[7; 11]).bytes(), no_claim(27), Told::Refused, ReadsLocal),
        (Draft::new(LOCAL, 0x40, &[]).bytes(), no_claim(16), Told::Refused, ReadsLocal),
        (Draft::new(LOCAL, 0x03, &[]).bytes(), no_claim(16), Told::Refused, ReadsLocal),
        (long_id, Told::Refused, tcp4_told(160), TakesLongIds),
        (wrong_checksum, Told::Refused, tcp4_told(35), TakesAnyChecksum),
        (short_checksum, Told::Refused, tcp4_told(34), TakesAnyChecksum),
        (two_checksums, Told::Refused, tcp4_told(42), TakesAnyChecksum),
        (too_long[..FIXED].to_vec(), Told::Refused, Told::More, HasNoBound),
        (too_long, Told::Refused, tcp4_told(537), HasNoBound),
        ([&SIGNATURE[..], &[0x31]].concat(), Told::Refused, Told::More, Waits),
        ([&SIGNATURE[..], &[PROXY, 0x41]].concat(), Told::Refused, Told::More, Waits),
        (Draft::new(PROXY, 0x10, &[7; 8]).bytes(), no_claim(24), Told::Refused, ReadsUnspecified),
        (Draft::new(PROXY, 0x10, &[7; 13]).bytes(), no_claim(29), Told::Refused, ReadsUnspecified),
    ]
}

fn of_proxy_protocol_rs() -> Vec<Example> {
    let local_with_checksum = Draft::new(LOCAL, UNSPEC, &[]).with(CRC32C, &[0; 4]).bytes();
    let too_long = tcp4().padded_to(LONGEST + 1).bytes();
    let without_room = Draft::new(PROXY, UNIX, &[7; 12]).bytes();
    vec![
        (local_with_checksum, no_claim(23), Told::Refused, ReadsLocal),
        (too_long[..FIXED].to_vec(), Told::Refused, Told::More, HasNoBound),
        (too_long, Told::Refused, tcp4_told(537), HasNoBound),
        (b"\r\nGET".to_vec(), Told::Stranger, Told::More, Waits),
        ([&SIGNATURE[..], &[0x31]].concat(), Told::Refused, Told::More, Waits),
        (without_room[..FIXED].to_vec(), Told::Refused, Told::More, Waits),
        (Draft::new(PROXY, UNSPEC, &[]).bytes(), no_claim(16), Told::Refused, RefusesUnspecified),
        (Draft::new(PROXY, 0x20, &[]).bytes(), no_claim(16), Told::Refused, RefusesUnspecified),
        (tcp4().with(SSL, &[1; 4]).bytes(), tcp4_told(35), Told::Refused, ReadsSsl),
        (tcp4().with(SSL, &[1, 0, 0, 0, 0, 0x21, 0, 9]).bytes(), tcp4_told(39), Told::Refused, ReadsSsl),
        (b"PROXY UNKNOWN\r\n".to_vec(), Told::Stranger, no_claim(15), ReadsVersion1),
        (b"PROX".to_vec(), Told::Stranger, Told::More, ReadsVersion1),
    ]
}

#[test]
fn ppp_differs_as_it_is_told_here() {
    for (bytes, our, their, why) in of_ppp() {
        assert_eq!((ours(&bytes), ppp(&bytes)), (our, their.clone()), "{why:?}: {bytes:02x?}");
        assert_eq!(difference_of_ppp(&bytes, &their), Some(why), "{bytes:02x?}");
    }
}

#[test]
fn proxy_protocol_rs_differs_as_it_is_told_here() {
    for (bytes, our, their, why) in of_proxy_protocol_rs() {
        assert_eq!((ours(&bytes), proxy_protocol_rs(&bytes)), (our, their.clone()), "{why:?}: {bytes:02x?}");
        assert_eq!(difference_of_proxy_protocol_rs(&bytes, &their), Some(why), "{bytes:02x?}");
    }
}

/// Headers with any bytes where it matters, and what comes of breaking valid ones.
fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let command = prop_oneof![3 => Just(LOCAL), 5 => Just(PROXY), 1 => any::<u8>()];
    let family = prop_oneof![
        3 => prop::sample::select(vec![UNSPEC, TCP4, UDP4, 0x21, UNIX, 0x10]),
        1 => any::<u8>(),
    ];
    let content = prop_oneof![
        3 => collection::vec(any::<u8>(), 0..=48),
        1 => collection::vec(any::<u8>(), 200..=700),
    ];
    let kind = prop::sample::select(vec![ALPN, CRC32C, NOOP, UNIQUE_ID, SSL, 0xee]);
    let tlvs = collection::vec((kind, collection::vec(any::<u8>(), 0..=140)), 0..4);
    let drafts =
        (command, family, content, tlvs, any::<bool>()).prop_map(|(command, family, content, tlvs, sealed)| {
            let draft = tlvs
                .iter()
                .fold(Draft::new(command, family, &content), |draft, (kind, value)| draft.with(*kind, value));
            if sealed { draft.sealed() } else { draft }.bytes()
        });
    let tcp = (claims(), collection::vec((prop::sample::select(vec![CRC32C, UNIQUE_ID, SSL]), 0..140_usize), 0..3))
        .prop_map(|((_, draft), tlvs)| {
            tlvs.iter().fold(draft, |draft, (kind, length)| draft.with(*kind, &vec![0; *length])).bytes()
        });
    let any_bytes = collection::vec(any::<u8>(), 0..80);
    let headers = prop_oneof![3 => drafts, 3 => tcp, 2 => valid(), 1 => any_bytes].boxed();
    let broken = (headers.clone(), collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..3)).prop_map(
        |(mut bytes, edits)| {
            for (at, byte) in edits.iter().filter(|_| !bytes.is_empty()).collect::<Box<[_]>>() {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            bytes
        },
    );
    let whole = prop_oneof![headers, broken];
    (whole, any::<prop::sample::Index>(), any::<bool>()).prop_map(|(mut bytes, at, cut)| {
        if cut {
            bytes.truncate(at.index(bytes.len() + 1));
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn whatever_comes_ppp_differs_only_as_it_is_told_here(bytes in hostile()) {
        let theirs = ppp(&bytes);
        let why = difference_of_ppp(&bytes, &theirs);
        prop_assert!(theirs == ours(&bytes) || why.is_some(), "ours {:?}, theirs {:?}", parse(&bytes), theirs);
    }

    #[test]
    fn whatever_comes_proxy_protocol_rs_differs_only_as_it_is_told_here(bytes in hostile()) {
        let theirs = proxy_protocol_rs(&bytes);
        let why = difference_of_proxy_protocol_rs(&bytes, &theirs);
        prop_assert!(theirs == ours(&bytes) || why.is_some(), "ours {:?}, theirs {:?}", parse(&bytes), theirs);
    }
}

proptest! {
    #[test]
    fn what_the_others_write_is_read(
        (source, destination) in ends(),
        alpn in collection::vec(any::<u8>(), 0..16),
        id in collection::vec(any::<u8>(), 0..=128),
    ) {
        let claim = Some([source.to_string(), destination.to_string()]);

        let of_rs = HeaderBuilder::v2_proxy(source, destination).with_alpn(&alpn[..]).with_unique_id(&id[..]);
        let of_rs = of_rs.with_padding(9).with_crc32c().build();
        prop_assert_eq!(claimed(&parsed(&of_rs)), claim.clone());
        prop_assert_eq!(parsed(&of_rs).length, of_rs.len());

        let of_ppp = Builder::with_addresses(Version::Two | Command::Proxy, Protocol::Stream, (source, destination))
            .write_tlv(Type::ALPN, &alpn)
            .and_then(|builder| builder.write_tlv(Type::UniqueId, &id))
            .and_then(Builder::build)
            .expect("it writes to memory");
        prop_assert_eq!(claimed(&parsed(&of_ppp)), claim);
        prop_assert_eq!(parsed(&of_ppp).length, of_ppp.len());
    }
}
