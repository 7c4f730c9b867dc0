//! What a process holds of its machine, as the kernel counts it.

use std::fs;

use nix::unistd::Pid;
use serde_json::{Value, json};

/// At one moment.
#[derive(Debug, Clone, Copy)]
pub struct Footprint {
    /// KiB in memory, its program and libraries among them.
    pub resident_kib: u64,
    /// Those that no file stands behind: heap, stacks, and what it wrote to.
    pub anonymous_kib: u64,
    /// Open descriptors.
    pub descriptors: usize,
}

impl Footprint {
    /// Of a process that runs.
    pub fn of(process: Pid) -> Self {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        let kib = |field: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap();
            line.split_whitespace().next().unwrap().parse().unwrap()
        };
        let descriptors = fs::read_dir(format!("/proc/{process}/fd")).unwrap().count();
        Self { resident_kib: kib("VmRSS:"), anonymous_kib: kib("RssAnon:"), descriptors }
    }

    pub fn to_json(self) -> Value {
        let Self { resident_kib, anonymous_kib, descriptors } = self;
        json!({ "resident_kib": resident_kib, "anonymous_kib": anonymous_kib, "descriptors": descriptors })
    }
}
