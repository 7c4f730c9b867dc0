//! What holds whatever stands in an agent's file: it is taken, or everything wrong with it is told, a line for each fault with
//! its place. Read by the fuzz target, and by the test of `quorate-agent` that replays its corpus.

use quorate_agent::AgentConfig;
use quorate_agent::limits::Ports;

/// What an input was taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    /// No text.
    NoText,
    /// Something is wrong with it.
    Faulty,
    /// A configuration.
    Taken,
}

/// Panics where something does not hold.
pub fn holds(bytes: &[u8]) -> Answer {
    let Ok(text) = std::str::from_utf8(bytes) else { return Answer::NoText };
    match AgentConfig::parse("agent.toml", text) {
        Ok(config) => {
            is_sound(&config);
            Answer::Taken
        }
        Err(faults) => {
            assert!(!faults.is_empty(), "a refusal says why");
            assert!(faults.is_sorted_by_key(|fault| fault.line), "faults are told in the order of the file");
            for fault in faults {
                assert!((1..=text.matches('\n').count() + 1).contains(&fault.line), "the line is one of the file");
                let told = fault.to_string();
                assert!(!told.contains(char::is_control), "told in one line: {told:?}");
            }
            Answer::Faulty
        }
    }
}

fn is_sound(config: &AgentConfig) {
    assert!(config.limits.probes_per_minute > 0 && !config.limits.min_spacing.is_zero() && config.edge_speed > 0);
    if let Ports::Only(ports) = &config.limits.ports {
        assert!(!ports.contains(&0));
    }
    for place in config.controls.iter().chain([&config.gateway]) {
        let (host, port) = place.rsplit_once(':').expect("host:port");
        assert!(!host.is_empty() && port.parse::<u16>().is_ok_and(|port| port > 0), "{place}");
    }
}
