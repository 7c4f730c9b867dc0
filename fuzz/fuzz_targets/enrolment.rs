//! What somebody without a certificate sends to be enrolled.

#![no_main]

#[path = "../checks/enrolment.rs"]
mod enrolment;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    enrolment::holds(bytes);
});
