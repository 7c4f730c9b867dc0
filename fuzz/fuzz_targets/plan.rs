//! What the aggregator sends in a session, and what an agent makes of it.

#![no_main]

#[path = "../checks/plan.rs"]
mod plan;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    plan::holds(bytes);
});
