//! What a hostile target answers to a TLS or HTTPS probe.

#![no_main]

#[path = "../checks/hostile.rs"]
mod hostile;
#[path = "../checks/tls_peer.rs"]
mod tls_peer;

thread_local! {
    static BENCH: tls_peer::Bench = tls_peer::Bench::new();
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    BENCH.with(|bench| bench.holds(bytes));
});
