//! The operator's fleet file.

#![no_main]

#[path = "../checks/fleet_toml.rs"]
mod fleet_toml;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    fleet_toml::holds(bytes);
});
