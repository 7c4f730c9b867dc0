//! The agent's file: where the gateway is, where state lives, what runs here and what is allowed.
//!
//! Everything wrong with it is told at once, one line per fault with its place, before anything is touched.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use quorate_core::one_line::OneLine;

use crate::limits::Limits;

mod file;

#[cfg(test)]
mod tests;

/// Where the file is unless told otherwise.
pub const DEFAULT_PATH: &str = "/etc/quorate/agent.toml";
/// Where state lives unless told otherwise.
pub const DEFAULT_DATA_DIR: &str = "/var/lib/quorate-agent";

/// Everything that an agent is told by its own host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentConfig {
    /// The gateway, `host:port`.
    pub gateway: String,
    /// Identity, outbox and cached plan.
    pub data_dir: PathBuf,
    /// Addresses to knock from; the system chooses when empty.
    pub source_addresses: Vec<IpAddr>,
    /// What must run here; looked for when empty.
    pub services: Vec<ServiceCheck>,
    /// Neutral endpoints beside the plan's, `host:port`.
    pub controls: Vec<String>,
    /// What the agent does not do.
    pub limits: Limits,
    /// What the periods of the edge choice are divided by: more than 1 is for a lab.
    pub edge_speed: u32,
}

/// How one service is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceCheck {
    /// Its name in reports.
    pub name: String,
    /// How to tell whether it runs.
    pub how: ServiceHow,
}

/// How to tell whether a service runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServiceHow {
    /// A systemd unit is active.
    Unit(String),
    /// A process of that name exists.
    Process(String),
    /// A shell command ends with 0.
    Command(String),
}

/// One thing that is wrong with the file, as a line for a person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {}: {}", OneLine(.field), OneLine(.problem))]
pub struct Fault {
    /// The file.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// The field.
    pub field: String,
    /// What is wrong and what to do.
    pub problem: String,
}

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{path}: {problem}: make it, or name another with --config")]
    Read {
        /// Which.
        path: String,
        /// What the system said.
        problem: std::io::Error,
    },
    /// It can, and is wrong.
    #[error("{}", lines(.0))]
    Faults(Vec<Fault>),
}

fn lines(faults: &[Fault]) -> String {
    faults.iter().map(Fault::to_string).collect::<Vec<_>>().join("\n")
}

impl AgentConfig {
    /// The defaults for a gateway and a directory.
    pub fn new(gateway: impl Into<String>, data_dir: impl Into<PathBuf>) -> Self {
        Self {
            gateway: gateway.into(),
            data_dir: data_dir.into(),
            source_addresses: Vec::new(),
            services: Vec::new(),
            controls: Vec::new(),
            limits: Limits::default(),
            edge_speed: 1,
        }
    }

    /// Reads and checks the file.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path)
            .map_err(|problem| ConfigError::Read { path: path.display().to_string(), problem })?;
        Self::parse(&path.display().to_string(), &text).map_err(ConfigError::Faults)
    }

    /// Checks the text of a file; `file` is its name in faults.
    pub fn parse(file: &str, text: &str) -> Result<Self, Vec<Fault>> {
        file::parse(file, text)
    }
}
