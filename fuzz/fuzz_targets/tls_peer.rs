//! What a hostile target answers to a TLS or HTTPS probe.

#![no_main]

#[path = "../checks/hostile.rs"]
mod hostile;
#[path = "../checks/tls_peer.rs"]
mod tls_peer;

use std::sync::LazyLock;

/// Never dropped: at the process's end there is nothing left to do it with.
static BENCH: LazyLock<tls_peer::Bench> = LazyLock::new(tls_peer::Bench::new);

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    BENCH.holds(bytes);
});
