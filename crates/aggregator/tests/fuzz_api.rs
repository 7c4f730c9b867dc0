//! The checks of the API's target on its corpus and on what comes of breaking it, asked of a whole aggregator.

#[path = "../../../fuzz/checks/api.rs"]
mod api;
#[path = "../../../fuzz/replay.rs"]
mod replay;

use crate::replay::Corpus;

/// Each is a request over a socket of its own.
const BROKEN: u32 = 1_000;

#[test]
fn every_request_is_answered_and_every_refusal_is_a_problem_document() {
    let bench = api::Bench::new();
    let met = Corpus::of("api").answers(BROKEN, |bytes| bench.holds(bytes));
    for status in [200, 201, 304, 400, 401, 404, 405, 415, 422] {
        assert!(met.contains(&status), "{status} is none of {met:?}");
    }
}
