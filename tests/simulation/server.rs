//! One VPN server of the simulated fleet: its host, its agent, and the account of its reports.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use quorate_agent::AgentConfig;
use quorate_agent::limits::{AddressLimits, Limits, Ports};
use quorate_agent::simulation::{Agent, Host, outbox_dir};
use quorate_core::outcome::Outcome;
use quorate_core::plan::ProbePlan;
use quorate_core::report::Health;

use crate::letter;
use crate::network::Net;
use crate::operation::{EDGES, Who};
use crate::twin::Said;

/// Most reports in an outbox: four minutes of rounds, so that outages fill it.
pub const REPORTS_MAX: usize = 8;
/// Most bytes in one.
const BYTES_MAX: u64 = 64 << 10;
/// Most reports in memory while the disk takes none.
const IN_MEMORY_MAX: usize = 16;

/// A server.
pub struct Server {
    pub id: String,
    pub dir: PathBuf,
    pub host: Host,
    pub agent: Option<Agent>,
    /// When its next round ends.
    pub round_at: Duration,
    /// Numbers of the reports that it made.
    made: BTreeSet<u64>,
    /// Those that were lost with the memory or the disk they were in: nobody had acknowledged them.
    excused: BTreeSet<u64>,
    /// Reports that earlier runs counted as lost.
    shed_before: u32,
}

impl Server {
    pub fn new(who: Who, dir: PathBuf, host: Host, round_at: Duration) -> Self {
        let (made, excused) = Default::default();
        Self { id: name(who), dir, host, agent: None, round_at, made, excused, shed_before: 0 }
    }

    /// Starts the agent, unless it runs.
    pub async fn start(&mut self) -> Result<(), String> {
        if self.agent.is_some() {
            return Ok(());
        }
        let limits = Limits {
            ports: Ports::Any,
            addresses: AddressLimits { private: true, ..AddressLimits::default() },
            ..Limits::default()
        };
        let config = AgentConfig { limits, ..AgentConfig::new("gateway.test:9443", &self.dir) };
        let edges = (0..EDGES).map(Net::edge).collect();
        let agent = Agent::start(config, self.host.clone(), (REPORTS_MAX, BYTES_MAX), edges).await;
        self.agent = Some(agent.map_err(|error| error.to_string())?);
        Ok(())
    }

    /// Makes the report of a round.
    pub async fn report(&mut self, serial: u64, found: &[Outcome], health: Health) -> Option<Said> {
        let agent = self.agent.as_ref()?;
        let plan = agent.plan();
        let report = letter::write(serial, plan.as_deref(), found, health);
        agent.push(report).await;
        self.made.insert(serial);
        let targets = plan.iter().flat_map(|plan| &plan.targets);
        let outcomes = targets.zip(found);
        let outcomes = outcomes.map(|(target, found)| (target.entry_point.clone(), letter::dialled_by(target), *found));
        Some(Said { server: self.id.clone(), outcomes: outcomes.collect(), health })
    }

    pub fn plan(&self) -> Option<std::sync::Arc<ProbePlan>> {
        self.agent.as_ref()?.plan()
    }

    /// SIGKILL. What waits in memory alone is lost with it.
    pub fn kill(&mut self) {
        if let Some(agent) = self.agent.take() {
            self.shed_before += agent.tray().shed;
            self.excused.extend(agent.in_memory().iter().filter_map(letter::serial));
        }
    }

    /// SIGTERM.
    pub async fn stop(&mut self) {
        if let Some(agent) = self.agent.take() {
            let (shed, in_memory) = agent.stop().await;
            self.shed_before += shed;
            self.excused.extend(in_memory.iter().filter_map(letter::serial));
        }
    }

    /// The newest letter of an agent that does not run loses its end.
    pub fn tear_letter(&mut self) {
        if let Some(newest) = self.letters().pop()
            && let Ok(bytes) = fs::read(&newest)
        {
            let _ = fs::write(&newest, &bytes[..bytes.len() / 2]);
        }
    }

    /// A letter of an agent that does not run was being written.
    pub fn leave_half_written(&self) {
        let _ = fs::create_dir_all(outbox_dir(&self.dir));
        let _ = fs::write(outbox_dir(&self.dir).join(".writing-half"), b"QOB1");
    }

    fn letters(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(outbox_dir(&self.dir)).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        let mut letters: Vec<PathBuf> =
            paths.filter(|path| path.extension().is_some_and(|it| it == "report")).collect();
        letters.sort();
        letters
    }

    /// Whether nothing waits.
    pub fn is_drained(&self) -> bool {
        self.agent.as_ref().is_some_and(|agent| agent.tray().waiting == 0)
    }

    /// The outbox keeps its bounds, and every report is in the store, waits, or was counted as lost.
    pub fn audit(&self, stored: &BTreeSet<u64>) -> Result<(), String> {
        let letters = self.letters();
        let bytes: u64 = letters.iter().filter_map(|path| fs::metadata(path).ok()).map(|file| file.len()).sum();
        let Some(agent) = &self.agent else { return Ok(()) };
        if letters.len() > REPORTS_MAX + 1 || bytes > BYTES_MAX {
            return Err(format!("the outbox of {} holds {} letters of {bytes} bytes", self.id, letters.len()));
        }
        let tray = agent.tray();
        if tray.waiting > REPORTS_MAX.max(IN_MEMORY_MAX) {
            return Err(format!("{} reports wait in the outbox of {}", tray.waiting, self.id));
        }
        let waiting: BTreeSet<u64> = agent.waiting().iter().filter_map(letter::serial).collect();
        let gone =
            |serial: &&u64| !stored.contains(serial) && !waiting.contains(serial) && !self.excused.contains(serial);
        let gone: Vec<u64> = self.made.iter().filter(gone).copied().collect();
        // Looking may find one corrupt.
        let shed = self.shed_before + agent.tray().shed;
        if gone.len() > shed as usize {
            return Err(format!(
                "reports {gone:?} of {} are nowhere, and {shed} were counted as lost ({} wait)",
                self.id,
                waiting.len()
            ));
        }
        Ok(())
    }
}

/// What a server is called.
pub fn name(who: Who) -> String {
    format!("{}-{}", COUNTRIES[usize::from(who) % COUNTRIES.len()].to_lowercase(), who / 3 + 1)
}

/// The countries of the fleet, two servers in each.
pub const COUNTRIES: [&str; 3] = ["DE", "NL", "RU"];
