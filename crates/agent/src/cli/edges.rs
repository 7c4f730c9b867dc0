//! `quorate-agent edges`: which edges there are, which one the session goes by, why, and what would change that.
//!
//! What the running agent last wrote down, and with `--measure` what the edges are like at this moment. Nothing is
//! changed: the agent goes on by what it measured itself.

use std::net::IpAddr;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use quorate_core::edge::explain::{Explanation, explain};
use quorate_core::edge::{ADDRESSES_MAX, Memory, SAMPLES, Timing};
use quorate_core::time::Moment;

use super::print;
use crate::config::AgentConfig;
use crate::edges::file::{self, Kept};
use crate::edges::{Tried, measure};
use crate::gateway::{Gateway, Resolver};
use crate::identity::Identity;

mod show;

#[cfg(test)]
mod tests;

/// Addresses measured at once: with what the agent itself may be measuring, within the twelve connections that a gateway
/// grants a server.
const AT_ONCE: usize = 3;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Measure each edge now too: full handshakes, of which the least counts.
    #[arg(long)]
    measure: bool,
    /// As one JSON object.
    #[arg(long)]
    json: bool,
}

/// All that is shown.
struct Findings {
    gateway: String,
    /// None if no agent has written anything yet.
    kept: Option<Kept>,
    agent_runs: bool,
    explanation: Explanation,
    /// What came of measuring, if that was asked for.
    now: Option<Vec<Tried>>,
}

impl Arguments {
    pub(super) async fn run(self, config_path: &Path) -> anyhow::Result<ExitCode> {
        let config = AgentConfig::load(config_path)?;
        let path = file::path(&config.data_dir);
        let kept = match file::read(&config.data_dir).with_context(|| format!("{} is of no use", path.display())) {
            Ok(kept) => kept.filter(|kept| kept.gateway == config.gateway),
            Err(problem) if self.measure => {
                print::error(&problem);
                None
            }
            Err(problem) => return Err(problem),
        };
        if kept.is_none() && !self.measure {
            let (path, gateway) = (path.display(), config.gateway);
            bail!("{path} says nothing of {gateway}: an agent writes it while it runs; --measure looks without one");
        }
        let now = if self.measure { Some(measured(&config).await?) } else { None };
        let nobody_answers = now.as_ref().is_some_and(|now| now.iter().all(|(_, times)| times.is_err()));
        let findings = Findings::new(config.gateway, kept, now);
        if self.json {
            print::line(show::as_json(&findings))?;
        } else {
            for line in show::lines(&findings) {
                print::line(line)?;
            }
        }
        Ok(if nobody_answers { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}

impl Findings {
    fn new(gateway: String, kept: Option<Kept>, now: Option<Vec<Tried>>) -> Self {
        let agent_runs = kept.as_ref().is_some_and(Kept::writer_runs);
        let mut memory = kept.as_ref().map_or_else(Memory::default, |kept| kept.memory.clone());
        if !agent_runs {
            // Whatever session it had has gone with it.
            memory.seat = None;
        }
        let timing = Timing::scaled(kept.as_ref().map_or(1, |kept| kept.speed));
        let explanation = explain(&memory, &timing, &date_and_time);
        Self { gateway, kept, agent_runs, explanation, now }
    }
}

/// Every address that the name has at this moment, by the identity on disk.
async fn measured(config: &AgentConfig) -> anyhow::Result<Vec<Tried>> {
    let credentials = Identity::load(&config.data_dir)?.credentials();
    let gateway = Gateway::new(&config.gateway, &config.source_addresses, Resolver::system())?;
    let addresses: Vec<IpAddr> = gateway.addresses().await?;
    let mut tried = Vec::new();
    for some in addresses[..addresses.len().min(ADDRESSES_MAX)].chunks(AT_ONCE) {
        tried.extend(measure(&gateway, &credentials, some, SAMPLES).await);
    }
    Ok(tried)
}

/// `2026-11-30 14:02:07 UTC`.
fn date_and_time(at: Moment) -> String {
    let moment = jiff::Timestamp::from_millisecond(at.as_ms().cast_signed());
    moment.map_or_else(|_| format!("{} ms", at.as_ms()), |moment| moment.strftime("%Y-%m-%d %H:%M:%S UTC").to_string())
}
