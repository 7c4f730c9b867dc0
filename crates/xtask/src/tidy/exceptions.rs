//! Files that a check passes over, each with the reason.

/// Rust files that may be longer than the limit.
pub const LONG: &[(&str, &str)] = &[];

/// Files that may read a clock, beside those named `clock.rs` and tests.
pub const CLOCKS: &[(&str, &str)] = &[];

/// Files outside the store that may name sqlx.
pub const NAMES_SQLX: &[(&str, &str)] =
    &[("crates/aggregator/src/cli/serve.rs", "the default log filter quiets the crate by its name")];

/// Files outside the agent that may name it, by prefix.
pub const NAMES_THE_AGENT: &[(&str, &str)] = &[
    ("crates/aggregator/src/demo", "the demo runs agents and aggregator in one process"),
    RENEWAL,
    SIMULATION,
    FUZZED,
];

/// Files outside the aggregator that may name it, by prefix.
pub const NAMES_THE_AGGREGATOR: &[(&str, &str)] = &[RENEWAL, SIMULATION, FUZZED];

const RENEWAL: (&str, &str) = ("tests/identity", "agent and gateway renew a certificate together");
const SIMULATION: (&str, &str) = ("tests/simulation", "agents and aggregator live in one simulated time");
const FUZZED: (&str, &str) = ("fuzz/", "each target is about one side, and both have some");

/// Whether `path` is in a list of exact paths.
pub fn has(list: &[(&str, &str)], path: &str) -> bool {
    list.iter().any(|(excepted, _)| *excepted == path)
}

/// Whether `path` begins as one in the list does.
pub fn has_prefix(list: &[(&str, &str)], path: &str) -> bool {
    list.iter().any(|(excepted, _)| path.starts_with(excepted))
}
