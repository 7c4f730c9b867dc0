//! What a hostile target answers to a QUIC or HTTP/3 probe.

#![no_main]

#[path = "../checks/hostile.rs"]
mod hostile;
#[path = "../checks/quic_peer.rs"]
mod quic_peer;

use std::sync::LazyLock;

/// Never dropped: at the process's end there is nothing left to do it with.
static BENCH: LazyLock<quic_peer::Bench> = LazyLock::new(quic_peer::Bench::new);

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    BENCH.holds(bytes);
});
