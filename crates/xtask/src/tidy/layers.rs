//! Who may name what: clocks, the database, the other side, the standard library.

use super::Finding;
use super::exceptions::{self, CLOCKS, NAMES_SQLX, NAMES_THE_AGENT, NAMES_THE_AGGREGATOR};
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
    if !source.path.starts_with("crates/aggregator/") && !exceptions::has_prefix(NAMES_THE_AGGREGATOR, &source.path) {
        let what = "agent and aggregator never see each other; share by quorate-core";
        findings.extend(source.words(&["quorate_aggregator"], what));
    }
    findings
}

/// The modules of `core` by stage: each reads from its own and earlier ones, so that what comes first cannot hang on what
/// comes of it.
const STAGES: &[&[&str]] = &[
    &["address", "time", "dice", "policy", "lane", "outcome", "probe", "proxy", "one_line"],
    &["fleet", "plan", "scope", "servers"],
    &["report", "assign", "pacing", "rendezvous"],
    &["streak", "ledger"],
    &["knock", "witness", "fold"],
    &["verdict", "presence"],
    &["tally"],
    &["verifier", "quorum", "cut", "hold", "pair", "chain", "status"],
    &["evaluate"],
    &["balance"],
    &["words", "label", "explain", "mesh", "islands", "pattern"],
    // Beside the flow: how agents reach the aggregator, as whom, and what people were told, is no evidence about anybody.
    &["edge", "edge_watch", "notify", "renewal"],
];

/// The flow is one-way: no stage of `core` reads from a later one.
pub fn one_way(source: &Source) -> Vec<Finding> {
    let Some(path) = source.path.strip_prefix("crates/core/src/").filter(|_| !source.is_test()) else {
        return Vec::new();
    };
    let module = path.split(['/', '.']).next().unwrap_or_default();
    if module == "lib" || source.text.starts_with("#![cfg(test)]") {
        return Vec::new();
    }
    let stage = |module: &str| STAGES.iter().position(|stage| stage.contains(&module));
    let Some(own) = stage(module) else {
        return vec![source.finding(1, format!("`{module}` has no stage: give it one in xtask's tidy/layers.rs"))];
    };
    let named = source.code().flat_map(|(line, code)| named_modules(code).into_iter().map(move |name| (line, name)));
    let later = named.filter(|(_, name)| stage(name).is_some_and(|stage| stage > own));
    let finding =
        |(line, name)| source.finding(line, format!("`{module}` reads from `{name}`, which is a later stage"));
    later.map(finding).collect()
}

/// What follows `crate::` in a line, also in braces.
fn named_modules(code: &str) -> Vec<&str> {
    let is_name = |c: char| c.is_ascii_lowercase() || c == '_';
    let first = |text: &'_ str| text.trim_start().find(|c| !is_name(c)).unwrap_or(text.trim_start().len());
    let name = |text| -> &str { &str::trim_start(text)[..first(text)] };
    let mut names = Vec::new();
    for rest in code.split("crate::").skip(1) {
        match rest.strip_prefix('{') {
            None => names.push(name(rest)),
            Some(list) => names.extend(list.split(['}', ';']).next().unwrap_or_default().split(',').map(name)),
        }
    }
    names
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
