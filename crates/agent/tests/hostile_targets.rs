//! The checks of the hostile targets on their corpora and on what comes of breaking them: a bounded run on real sockets of
//! loopback.

#[path = "../../../fuzz/checks/hostile.rs"]
mod hostile;
#[path = "../../../fuzz/checks/quic_peer.rs"]
mod quic_peer;
#[path = "../../../fuzz/replay.rs"]
mod replay;
#[path = "../../../fuzz/checks/tls_peer.rs"]
mod tls_peer;

use crate::replay::Corpus;

/// Each takes as long as a handshake, or as the budget of one.
const BROKEN: u32 = 200;

#[test]
fn whatever_a_tls_target_answers_is_an_outcome() {
    let bench = tls_peer::Bench::new();
    let words = Corpus::of("tls_peer").answers(BROKEN, |bytes| bench.holds(bytes));
    for word in ["ssl_failed_handshake", "ssl_invalid_certificate", "http_invalid_response"] {
        assert!(words.contains(word), "{word} is none of {words:?}");
    }
}

#[test]
fn whatever_a_quic_target_answers_is_an_outcome() {
    let bench = quic_peer::Bench::new();
    let words = Corpus::of("quic_peer").answers(BROKEN, |bytes| bench.holds(bytes));
    for word in ["quic_failed_handshake", "ssl_invalid_certificate", "generic_timeout_error"] {
        assert!(words.contains(word), "{word} is none of {words:?}");
    }
}
