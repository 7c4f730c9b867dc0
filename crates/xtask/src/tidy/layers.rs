//! Who may name what: clocks, the database, the other side, the standard library.

use super::Finding;
use super::exceptions::{self, CLOCKS, NAMES_SQLX, NAMES_THE_AGENT};
use super::source::Source;

const CLOCK_READS: &[&str] = &[
    "Instant::now",
    "SystemTime::now",
    "Timestamp::now",
    "Zoned::now",
    "clock_gettime",
    "ClockId",
    "CLOCK_REALTIME",
    "CLOCK_MONOTONIC",
    "CLOCK_BOOTTIME",
];

/// Time is read in `clock.rs` and handed on: elsewhere it could not be moved by a test.
pub fn clocks(source: &Source) -> Vec<Finding> {
    let is_clock = source.path.ends_with("/clock.rs");
    if !source.is_rust() || is_clock || source.is_test() || in_tidy(source) || exceptions::has(CLOCKS, &source.path) {
        return Vec::new();
    }
    source.words(CLOCK_READS, "only clock.rs reads a clock; take the time as an argument")
}

/// One place knows SQL.
pub fn database(source: &Source) -> Vec<Finding> {
    let allowed = source.path.starts_with("crates/aggregator/src/store") || exceptions::has(NAMES_SQLX, &source.path);
    if !source.is_rust() || allowed || in_tidy(source) {
        return Vec::new();
    }
    source.words(&["sqlx"], "only crates/aggregator/src/store names sqlx; add a query there and call it")
}

/// Agent and aggregator meet in `proto` and `core` alone.
pub fn sides(source: &Source) -> Vec<Finding> {
    if !source.is_rust() || in_tidy(source) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    if !source.path.starts_with("crates/agent/") && !exceptions::has_prefix(NAMES_THE_AGENT, &source.path) {
        findings.extend(
            source.words(&["quorate_agent"], "agent and aggregator never see each other; share by quorate-core"),
        );
    }
    if !source.path.starts_with("crates/aggregator/") {
        let what = "agent and aggregator never see each other; share by quorate-core";
        findings.extend(source.words(&["quorate_aggregator"], what));
    }
    findings
}

/// `core` has nothing to do I/O with.
pub fn core_without_std(source: &Source) -> Vec<Finding> {
    if !source.is_rust() || !source.path.starts_with("crates/core/src/") {
        return Vec::new();
    }
    let mut findings = Vec::new();
    if source.path == "crates/core/src/lib.rs" && !source.code().any(|(_, code)| code.trim() == "#![no_std]") {
        findings.push(source.finding(1, "core opens with #![no_std]: its decisions do no I/O"));
    }
    let mut before = "";
    for (line, code) in source.code() {
        if code.trim() == "extern crate std;" && before.trim() != "#[cfg(test)]" {
            findings.push(source.finding(line, "core is no_std: only its tests may have std"));
        }
        before = code;
    }
    if !source.is_test() {
        findings.extend(source.words(&["std::"], "core is no_std; use core:: or alloc::"));
    }
    findings
}

/// This check's own word lists and examples.
fn in_tidy(source: &Source) -> bool {
    source.path.starts_with("crates/xtask/src/tidy/")
}
