//! What agents send in their sessions, on its way into the ledger.

#![no_main]

#[path = "../checks/report.rs"]
mod report;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drop(report::holds(bytes)));
