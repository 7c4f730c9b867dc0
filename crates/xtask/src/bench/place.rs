//! What was measured, and where: without both, a figure says nothing.

use std::fs;
use std::process::Command;

use crate::process::root;

/// The commit, with `+` if the checkout has changes; "unknown" outside a repository.
pub fn commit() -> String {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").current_dir(root()).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let Some(commit) = git(&["rev-parse", "--short=10", "HEAD"]) else { return "unknown".to_owned() };
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|list| !list.is_empty());
    if changed { commit + "+" } else { commit }
}

/// Processors, memory and system, e.g. "2 × AMD EPYC, 8 GiB, Debian GNU/Linux 12, Linux 6.1".
pub fn machine() -> String {
    let after = |file: &str, key: &str| {
        let text = fs::read_to_string(file).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix(key).map(str::to_owned));
        line.map(|rest| rest.trim_start_matches([' ', '\t', ':', '=']).trim_matches('"').to_owned())
    };
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let model = after("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let memory = after("/proc/meminfo", "MemTotal").and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    let memory = memory.map_or_else(String::new, |kib| format!(", {} GiB", (kib + (1 << 19)) >> 20));
    let system = after("/etc/os-release", "PRETTY_NAME").unwrap_or_else(|| std::env::consts::OS.to_owned());
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{processors} × {model}{memory}, {system}, Linux {}", kernel.trim())
}
