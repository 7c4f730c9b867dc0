//! Nothing lost, nothing twice, numbers never back.
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::path::Path;
use std::sync::{Arc, Mutex};

use quorate_core::time::Moment;
use quorate_proto::v1;

use super::{Bounds, Observed, Spool};
use crate::clock;

fn open(dir: &Path) -> Spool {
    Spool::open(dir, Bounds::default()).unwrap()
}

fn push(spool: &mut Spool, plan_version: u64) -> u64 {
    spool.push(v1::Report { plan_version, ..v1::Report::default() }, Observed::at(clock::since_boot()))
}

/// Sequence numbers of all that waits, in order.
fn waiting(spool: &mut Spool) -> Vec<u64> {
    let mut found = Vec::new();
    while let Some(report) = spool.after(found.last().copied().unwrap_or(0)) {
        found.push(report.sequence);
    }
    found
}

fn files(dir: &Path) -> usize {
    std::fs::read_dir(dir).unwrap().count()
}

#[test]
fn a_report_waits_until_it_is_acknowledged_and_survives_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let mut spool = open(dir.path());
    for version in 1..=3 {
        push(&mut spool, version);
    }
    let outbox = spool.outbox();
    assert_eq!(waiting(&mut spool), [1, 2, 3]);
    spool.acknowledge(&outbox, 2);
    assert_eq!(waiting(&mut spool), [3]);
    drop(spool);
    let mut again = open(dir.path());
    assert_eq!(again.outbox(), outbox);
    assert_eq!(waiting(&mut again), [3]);
    let report = again.after(0).unwrap();
    assert_eq!((report.plan_version, report.outbox_id), (3, outbox.to_vec()));
}

#[test]
fn a_receipt_for_more_than_can_be_counted_stops_no_counting() {
    for receipt in [super::SEQUENCE_MAX + 1, (1 << 63) - 1, u64::MAX] {
        let dir = tempfile::tempdir().unwrap();
        let mut spool = open(dir.path());
        push(&mut spool, 1);
        let outbox = spool.outbox();
        spool.acknowledge(&outbox, receipt);
        assert_eq!([push(&mut spool, 1), push(&mut spool, 1)], [2, 3], "{receipt}");
        assert_ne!(spool.outbox(), outbox, "reports under the old name would be taken for received ones");
        drop(spool);
        assert_eq!(waiting(&mut open(dir.path())), [2, 3], "{receipt}");
    }
}

#[test]
fn a_file_whose_name_is_no_number_of_ours_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("18446744073709551615.report"), b"x").unwrap();
    let mut spool = open(dir.path());
    assert_eq!((push(&mut spool, 1), spool.shed()), (1, 0));
}

#[test]
fn numbers_never_go_back_even_when_all_is_acknowledged() {
    let dir = tempfile::tempdir().unwrap();
    let mut spool = open(dir.path());
    push(&mut spool, 1);
    push(&mut spool, 1);
    let outbox = spool.outbox();
    spool.acknowledge(&outbox, 2);
    assert_eq!(waiting(&mut spool), Vec::<u64>::new());
    assert_eq!(files(dir.path()), 1);
    drop(spool);
    let mut again = open(dir.path());
    assert_eq!((push(&mut again, 1), again.outbox()), (3, outbox));
}

#[test]
fn an_empty_outbox_has_a_new_name_each_time() {
    let dir = tempfile::tempdir().unwrap();
    assert_ne!(open(dir.path()).outbox(), open(dir.path()).outbox());
}

#[test]
fn a_half_written_or_corrupt_file_is_dropped_and_its_number_stays_used() {
    let dir = tempfile::tempdir().unwrap();
    let mut spool = open(dir.path());
    for _ in 0..4 {
        push(&mut spool, 1);
    }
    let outbox = spool.outbox();
    drop(spool);
    let path = |sequence: u64| dir.path().join(format!("{sequence:020}.report"));
    let whole = std::fs::read(path(4)).unwrap();
    std::fs::write(path(4), &whole[..whole.len() / 2]).unwrap();
    let mut flipped = std::fs::read(path(2)).unwrap();
    *flipped.last_mut().unwrap() ^= 1;
    std::fs::write(path(2), flipped).unwrap();
    std::fs::write(dir.path().join(".writing-x"), b"half").unwrap();
    let mut again = open(dir.path());
    assert_eq!((waiting(&mut again), again.shed(), again.outbox()), (vec![1, 3], 2, outbox));
    assert_eq!(push(&mut again, 1), 5);
}

#[test]
fn an_outbox_that_is_corrupt_altogether_begins_anew() {
    let dir = tempfile::tempdir().unwrap();
    let mut spool = open(dir.path());
    push(&mut spool, 1);
    let outbox = spool.outbox();
    drop(spool);
    std::fs::write(dir.path().join(format!("{:020}.report", 1)), b"").unwrap();
    let mut again = open(dir.path());
    assert_ne!(again.outbox(), outbox);
    assert_eq!((push(&mut again, 1), again.shed()), (2, 1));
}

#[test]
fn beyond_its_bounds_the_oldest_is_shed_and_counted() {
    let dir = tempfile::tempdir().unwrap();
    let bounds = Bounds { reports: 3, ..Bounds::default() };
    let mut spool = Spool::open(dir.path(), bounds).unwrap();
    for _ in 0..3 {
        push(&mut spool, 1);
    }
    assert_eq!((waiting(&mut spool), spool.shed()), (vec![1, 2, 3], 0));
    push(&mut spool, 1);
    assert_eq!((waiting(&mut spool), spool.shed(), files(dir.path())), (vec![2, 3, 4], 1, 3));

    let dir = tempfile::tempdir().unwrap();
    let mut spool = Spool::open(dir.path(), Bounds { bytes: 10_000, ..Bounds::default() }).unwrap();
    for _ in 0..5 {
        let report = v1::Report { outcomes: vec![0; 4_000], ..v1::Report::default() };
        spool.push(report, Observed::at(clock::since_boot()));
    }
    assert_eq!((waiting(&mut spool), spool.shed()), (vec![4, 5], 3));
}

#[test]
fn a_receipt_for_another_outbox_means_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut spool = open(dir.path());
    push(&mut spool, 1);
    spool.acknowledge(&[7; 16], 9);
    assert_eq!(waiting(&mut spool), [1]);
    assert_eq!(push(&mut spool, 1), 2);
}

#[test]
fn after_the_disk_was_put_back_numbers_go_on_after_those_that_were_used() {
    let dir = tempfile::tempdir().unwrap();
    let mut spool = open(dir.path());
    push(&mut spool, 1);
    let outbox = spool.outbox();
    spool.acknowledge(&outbox, 40);
    assert_eq!(push(&mut spool, 1), 41);
}

#[test]
fn while_the_disk_takes_nothing_reports_wait_in_memory_under_another_name() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("outbox");
    let mut spool = open(&dir);
    push(&mut spool, 1);
    let on_disk = spool.outbox();
    // Root may write anywhere; a directory that is gone takes nothing from anybody.
    std::fs::remove_dir_all(&dir).unwrap();
    std::fs::write(&dir, b"in the way").unwrap();
    push(&mut spool, 2);
    let in_memory = spool.outbox();
    assert_ne!(in_memory, on_disk);
    let report = spool.after(1).unwrap();
    assert_eq!((report.sequence, report.plan_version, report.outbox_id), (2, 2, in_memory.to_vec()));
    for _ in 0..20 {
        push(&mut spool, 3);
    }
    assert_eq!(spool.outbox(), in_memory);
    assert_eq!(waiting(&mut spool).len(), super::IN_MEMORY_MAX);
    // The disk is back: a restart goes on where the disk stood.
    std::fs::remove_file(&dir).unwrap();
    std::fs::create_dir(&dir).unwrap();
    let last = push(&mut spool, 4);
    drop(spool);
    let mut again = open(&dir);
    assert_eq!((waiting(&mut again), again.outbox()), (vec![last], in_memory));
}

#[test]
fn a_disk_that_takes_nothing_is_told_once_and_that_it_takes_again_too() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
    tracing::subscriber::with_default(subscriber, || {
        let parent = tempfile::tempdir().unwrap();
        let dir = parent.path().join("outbox");
        let mut spool = open(&dir);
        for _ in 0..2 {
            std::fs::remove_dir_all(&dir).unwrap();
            std::fs::write(&dir, b"in the way").unwrap();
            for _ in 0..5 {
                push(&mut spool, 1);
            }
            std::fs::remove_file(&dir).unwrap();
            std::fs::create_dir(&dir).unwrap();
            for _ in 0..5 {
                push(&mut spool, 1);
            }
        }
    });
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let told: Vec<bool> = text.lines().map(|line| line.contains("cannot be written")).collect();
    assert_eq!(told, [true, false, true, false], "{text}");
}

/// What was logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_report_ages_by_the_time_since_boot_and_after_a_reboot_by_the_wall_clock() {
    let now = clock::since_boot();
    let age = Observed::at(now.before(std::time::Duration::from_secs(5))).age_ms();
    assert!((5_000..6_000).contains(&age), "{age}");
    let wall = clock::wall().before(std::time::Duration::from_secs(90));
    let before_reboot = Observed { boot_id: [0; 16], since_boot: Moment::MAX, wall };
    assert!((90_000..91_000).contains(&before_reboot.age_ms()));
    let from_the_future = Observed { boot_id: [0; 16], since_boot: Moment::ZERO, wall: Moment::MAX };
    assert_eq!(from_the_future.age_ms(), 0);
}

#[test]
fn a_pipe_in_a_letters_place_keeps_nobody_waiting() {
    let dir = tempfile::tempdir().unwrap();
    push(&mut open(dir.path()), 1);
    let pipe = dir.path().join(format!("{:020}{}", 2, super::SUFFIX));
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRUSR).unwrap();
    let mut spool = open(dir.path());
    assert_eq!((waiting(&mut spool), spool.shed()), (vec![1], 1));
}
