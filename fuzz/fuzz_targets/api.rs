//! Requests to the API.

#![no_main]

#[path = "../checks/api.rs"]
mod api;

use std::sync::LazyLock;

/// Never dropped: at the process's end there is nothing left to do it with.
static BENCH: LazyLock<api::Bench> = LazyLock::new(api::Bench::new);

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    BENCH.holds(bytes);
});
