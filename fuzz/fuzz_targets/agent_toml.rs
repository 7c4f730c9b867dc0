//! An agent's own file.

#![no_main]

#[path = "../checks/agent_toml.rs"]
mod agent_toml;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    agent_toml::holds(bytes);
});
