//! What a hostile target answers to a QUIC or HTTP/3 probe.

#![no_main]

#[path = "../checks/hostile.rs"]
mod hostile;
#[path = "../checks/quic_peer.rs"]
mod quic_peer;

thread_local! {
    static BENCH: quic_peer::Bench = quic_peer::Bench::new();
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    BENCH.with(|bench| bench.holds(bytes));
});
