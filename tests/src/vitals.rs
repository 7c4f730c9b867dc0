//! What a process holds: memory and descriptors, as the kernel counts them; and taking descriptors away from it.

use std::fs;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use nix::unistd::Pid;

use crate::clock::pass;
use crate::namespace::program;

const LOOK_EVERY: Duration = Duration::from_millis(50);

/// At one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vitals {
    /// Memory that it really has (`VmRSS`), in KiB.
    pub memory_kib: u64,
    /// Of that, what no file stands behind: heap, stacks, and what it wrote to (`RssAnon`), in KiB.
    pub anonymous_kib: u64,
    /// Open descriptors.
    pub descriptors: usize,
}

impl Vitals {
    /// Of a process that runs.
    pub fn of(pid: Pid) -> Self {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("a process that runs has a status");
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|line| line.split_whitespace().next()?.parse().ok())
        };
        let open = fs::read_dir(format!("/proc/{pid}/fd")).expect("its descriptors can be listed");
        Self {
            memory_kib: field("VmRSS:").unwrap_or_default(),
            anonymous_kib: field("RssAnon:").unwrap_or_default(),
            descriptors: open.count(),
        }
    }

    /// The most of each of two.
    #[must_use]
    pub fn most(self, other: Self) -> Self {
        Self {
            memory_kib: self.memory_kib.max(other.memory_kib),
            anonymous_kib: self.anonymous_kib.max(other.anonymous_kib),
            descriptors: self.descriptors.max(other.descriptors),
        }
    }
}

/// From here on a process may have this many descriptors; those that it has stay open.
pub fn limit_descriptors(pid: Pid, at_most: usize) {
    eprintln!("process {pid} may have {at_most} descriptors");
    let soft = format!("--nofile={at_most}:");
    let done = Command::new(program("prlimit")).arg("--pid").arg(pid.to_string()).arg(soft).status();
    assert!(done.is_ok_and(|status| status.success()), "prlimit sets the limits of a process of ours");
}

/// The processes that a process has started and that run.
pub fn children(pid: Pid) -> Vec<Pid> {
    let listed = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    listed.split_whitespace().filter_map(|word| word.parse().ok()).map(Pid::from_raw).collect()
}

/// Looks at a process all the time; what it held at most.
pub struct Sampling {
    over: Arc<AtomicBool>,
    thread: JoinHandle<Vitals>,
}

impl Sampling {
    /// Begins.
    pub fn of(pid: Pid) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&over);
        let thread = thread::spawn(move || {
            let mut most = Vitals::of(pid);
            while !ends.load(Ordering::Relaxed) {
                pass(LOOK_EVERY);
                most = most.most(Vitals::of(pid));
            }
            most
        });
        Self { over, thread }
    }

    /// Ends.
    pub fn end(self) -> Vitals {
        self.over.store(true, Ordering::Relaxed);
        self.thread.join().expect("the process runs while it is looked at")
    }
}
