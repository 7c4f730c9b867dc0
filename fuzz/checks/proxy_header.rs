//! What holds for the answer to any bytes that open a connection. Read by the fuzz target, and by the test of `quorate-core`
//! that replays its corpus: neither knows more than the other.

use std::net::{IpAddr, SocketAddr};

use quorate_core::proxy::{ClaimedAddr, Header, LONGEST, Parse, parse};

const SIGNATURE: &[u8] = b"\r\n\r\n\0\r\nQUIT\n";

/// Panics where something does not hold.
pub fn holds(bytes: &[u8]) {
    let answer = parse(bytes);
    match &answer {
        Parse::Parsed(header) => parsed(bytes, header),
        Parse::NeedMore => {
            assert!(bytes.len() < LONGEST, "a header that has {LONGEST} bytes is whole");
            assert!(bytes.len() < 16 || bytes.len() < whole(bytes), "a header that has come whole is answered");
        }
        Parse::NotProxy => assert!(bytes.iter().zip(SIGNATURE).any(|(byte, expected)| byte != expected)),
        Parse::Invalid(invalid) => {
            assert!(bytes.len() > 12 && bytes.starts_with(SIGNATURE));
            assert!(!invalid.to_string().contains('\n'));
            let skipped = bytes.len() >= 16 && bytes[12] == 0x20 && whole(bytes) <= LONGEST;
            assert!(!skipped, "a LOCAL header is skipped whatever it holds");
        }
    }
    in_pieces(bytes, &answer);
}

/// Byte by byte, "more" is the answer until the one that stands.
fn in_pieces(bytes: &[u8], answer: &Parse) {
    let answers = (0..bytes.len().min(LONGEST + 1)).map(|end| (end, parse(&bytes[..end])));
    for (end, earlier) in answers.skip_while(|(_, earlier)| matches!(earlier, Parse::NeedMore)) {
        assert!(is_same(&earlier, answer), "{earlier:?} at {end} bytes and {answer:?} later");
    }
}

fn is_same(one: &Parse, other: &Parse) -> bool {
    match (one, other) {
        (Parse::NeedMore, Parse::NeedMore) | (Parse::NotProxy, Parse::NotProxy) => true,
        (Parse::Invalid(one), Parse::Invalid(other)) => one == other,
        (Parse::Parsed(one), Parse::Parsed(other)) => format!("{one:?}") == format!("{other:?}"),
        _ => false,
    }
}

fn parsed(bytes: &[u8], header: &Header) {
    assert!(bytes.starts_with(SIGNATURE));
    assert_eq!(header.length, whole(bytes));
    assert!(header.length <= bytes.len() && header.length <= LONGEST);
    assert_eq!(header.local, bytes[12] == 0x20);
    let ends = if header.local { None } else { ends(bytes) };
    let claimed = header.claim.as_ref().map(|claim| [&claim.source, &claim.destination]);
    assert_eq!(claimed.map(|ends| ends.map(ToString::to_string)), ends.map(|ends| ends.map(|end| end.to_string())));
    for text in claimed.into_iter().flatten().map(ToString::to_string) {
        let read = text.parse::<ClaimedAddr>().expect("a claim is read back from its text");
        assert_eq!(read.to_string(), text);
    }
}

/// What the header's own length says of the whole.
fn whole(bytes: &[u8]) -> usize {
    16 + usize::from(bytes[14]) * 256 + usize::from(bytes[15])
}

/// Source and destination where a TCP header has them.
fn ends(bytes: &[u8]) -> Option<[SocketAddr; 2]> {
    let v4 = |at: usize| IpAddr::from(<[u8; 4]>::try_from(&bytes[at..at + 4]).expect("4 bytes"));
    let v6 = |at: usize| IpAddr::from(<[u8; 16]>::try_from(&bytes[at..at + 16]).expect("16 bytes"));
    let port = |at: usize| u16::from(bytes[at]) * 256 + u16::from(bytes[at + 1]);
    match bytes[13] {
        0x11 => Some([(v4(16), port(24)).into(), (v4(20), port(26)).into()]),
        0x21 => Some([(v6(16), port(48)).into(), (v6(32), port(50)).into()]),
        _ => None,
    }
}
