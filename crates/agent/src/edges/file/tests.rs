#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::time::Duration;

use quorate_core::edge::{Memory, MoveReason, Ranked, Seat, Times, Why};
use quorate_core::time::Moment;

use super::{BYTES_MAX, Kept, Unusable, path, read, write};

fn kept() -> Kept {
    let (near, far) = ("192.0.2.1".parse().unwrap(), "2001:db8::1".parse().unwrap());
    let times = Times { tcp: Duration::from_micros(1_234), tls: Duration::from_micros(5_678), samples: 3 };
    let unmeasured = Ranked { address: far, times: None, failing: true, good_rounds: 1, better_rounds: 2 };
    let memory = Memory {
        addresses: vec![far, near],
        resolved_at: Some(Moment::from_ms(1_700_000_000_000)),
        ranking: vec![Ranked { address: near, times: Some(times), failing: false, ..unmeasured }, unmeasured],
        measured_on: vec![near],
        measured_at: None,
        seat: Some(Seat { address: near, since: Moment::from_ms(7), why: Why::Moved(MoveReason::Return), missing: 1 }),
    };
    Kept::now("watch.example.org:8443", 1, memory)
}

#[test]
fn what_is_written_is_read() {
    let dir = tempfile::tempdir().unwrap();
    assert!(read(dir.path()).unwrap().is_none());
    write(dir.path(), &kept()).unwrap();
    let read = read(dir.path()).unwrap().unwrap();
    assert_eq!(read, Kept { written_at: read.written_at, ..kept() });
    assert!(read.writer_runs());
    assert!(!Kept { boot_id: [0; 16], ..read.clone() }.writer_runs());
    assert!(!Kept { process: u32::MAX, ..read }.writer_runs());
}

#[test]
fn what_was_not_written_so_is_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let reads_as = |text: &[u8]| {
        std::fs::write(path(dir.path()), text).unwrap();
        read(dir.path()).unwrap_err()
    };
    assert!(matches!(reads_as(b""), Unusable::Damaged(_)));
    assert!(matches!(reads_as(b"{\"version\": 1"), Unusable::Damaged(_)));
    assert!(matches!(reads_as(b"{\"version\": 1}"), Unusable::Damaged(_)));
    assert!(matches!(reads_as(b"{\"version\": 2, \"all\": \"else\"}"), Unusable::Version(2)));
    assert!(matches!(reads_as(&vec![b' '; BYTES_MAX as usize + 1]), Unusable::Large));
    write(dir.path(), &kept()).unwrap();
    let whole = std::fs::read(path(dir.path())).unwrap();
    for length in 0..whole.len() - 2 {
        assert!(matches!(reads_as(&whole[..length]), Unusable::Damaged(_)), "cut to {length}");
    }
}

#[test]
fn a_pipe_in_its_place_keeps_nobody_waiting() {
    let dir = tempfile::tempdir().unwrap();
    nix::unistd::mkfifo(&path(dir.path()), nix::sys::stat::Mode::S_IRUSR).unwrap();
    assert_eq!(read(dir.path()).unwrap_err().to_string(), "it is no file");
    write(dir.path(), &kept()).unwrap();
    assert!(read(dir.path()).unwrap().is_some(), "what is written takes its place");
}

#[test]
fn a_word_of_a_newer_agent_costs_no_more_than_the_seat() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &kept()).unwrap();
    let text = std::fs::read_to_string(path(dir.path())).unwrap().replace("edge_return", "edge_lottery");
    std::fs::write(path(dir.path()), text).unwrap();
    let read = read(dir.path()).unwrap().unwrap().memory;
    assert_eq!(read, Memory { seat: None, ..kept().memory });
}
