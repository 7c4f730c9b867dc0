//! What comes before TLS on a connection through an edge.

#![no_main]

#[path = "../checks/proxy_header.rs"]
mod proxy_header;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| proxy_header::holds(bytes));
