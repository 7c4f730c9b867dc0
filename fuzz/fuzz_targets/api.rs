//! Requests to the API.

#![no_main]

#[path = "../checks/api.rs"]
mod api;

thread_local! {
    static BENCH: api::Bench = api::Bench::new();
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    BENCH.with(|bench| bench.holds(bytes));
});
