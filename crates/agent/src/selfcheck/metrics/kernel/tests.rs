//! Files as kernels write them, cut short.
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use super::{Memory, Ticks, Traffic, memory, open_files, resident};

const STAT: &str = "cpu  100 20 30 700 50 5 5 10 40 0\ncpu0 50 10 15 350 25 3 2 5 20 0\nintr 12345 0 9\n";
const LATER: &str = "cpu  130 20 40 750 60 5 5 10 60 0\ncpu0 65 10 20 375 30 3 2 5 30 0\n";

const DEV: &str = "\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:  999999    1000    0    0    0     0          0         0   999999    1000    0    0    0     0       0          0
  eth0:    1500      10    0    0    0     0          0         0      700       5    0    0    0     0       0          0
   wg0:     500       4    0    0    0     0          0         0      300       3    0    0    0     0       0          0
";

#[test]
fn waiting_for_a_disk_is_no_work_and_guests_are_counted_once() {
    let (then, now) = (Ticks::of(STAT).unwrap(), Ticks::of(LATER).unwrap());
    // 30 user and 10 system of 100 ticks; 50 idle, 10 waited.
    assert_eq!(now.busy_percent_since(then), Some(40.0));
}

#[test]
fn no_time_and_time_that_goes_back_have_no_share() {
    let (then, now) = (Ticks::of(STAT).unwrap(), Ticks::of(LATER).unwrap());
    assert_eq!(then.busy_percent_since(then), None);
    assert_eq!(then.busy_percent_since(now), None);
}

#[test]
fn traffic_is_of_all_interfaces_but_loopback() {
    assert_eq!(Traffic::of(DEV), Traffic { received: 2_000, sent: 1_000 });
}

#[test]
fn kibibytes_become_bytes() {
    let meminfo = "MemTotal:        2000 kB\nMemFree:          100 kB\nMemAvailable:    1500 kB\n";
    assert_eq!(memory(meminfo), Some(Memory { total: 2_048_000, available: 1_536_000 }));
    assert_eq!(resident("Name:\tquorate-agent\nVmRSS:\t    4 kB\n"), Some(4096));
    assert_eq!(open_files("1234\t0\t9223372036854775807\n"), Some(1234));
}

#[test]
fn what_a_kernel_does_not_write_is_no_number() {
    assert_eq!(Ticks::of(""), None);
    assert_eq!(Ticks::of("cpu  1 2 3\n"), None);
    assert_eq!(memory("MemTotal:  2000 kB\n"), None);
    assert_eq!(resident("VmRSS:  many\n"), None);
    assert_eq!(open_files(""), None);
    assert_eq!(Traffic::of("nothing: of the kind\n"), Traffic::default());
}

#[test]
fn this_kernel_is_understood() {
    let read = |path: &str| std::fs::read_to_string(path).unwrap();
    assert!(Ticks::of(&read("/proc/stat")).is_some());
    assert!(memory(&read("/proc/meminfo")).is_some_and(|memory| memory.available < memory.total));
    assert!(resident(&read("/proc/self/status")).is_some());
    assert!(open_files(&read("/proc/sys/fs/file-nr")).is_some());
}
