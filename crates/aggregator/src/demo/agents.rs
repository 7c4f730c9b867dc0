//! Real agents in this process: enrolled through the gateway with a one-time token, each with a directory of its own and
//! bound to its own address.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use quorate_agent::limits::{AddressLimits, Limits, Ports};
use quorate_agent::{AgentConfig, EnrollError, EnrollRequest, RunError};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::cast::{self, DOORS, PLAYERS, Player};

/// The longest that an agent may take to end: it promises five seconds.
const END_WITHIN: Duration = Duration::from_secs(8);

/// Where agents live and whom they dial.
#[derive(Debug, Clone)]
pub struct Home {
    /// Each agent has a directory in it.
    pub directory: PathBuf,
    /// The gateway, `host:port`.
    pub gateway: String,
    /// The one port that they may dial.
    pub port: u16,
    /// What the spans of the policy are divided by.
    pub speed: u32,
}

/// Why an agent does not run.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// It did not get in.
    #[error("the agent of {id} cannot enrol: {source}")]
    Enrol {
        /// Whose.
        id: &'static str,
        /// Why.
        source: EnrollError,
    },
    /// It ended, and nobody had stopped it.
    #[error("the agent of {id} ended by itself: {why}")]
    Ended {
        /// Whose.
        id: &'static str,
        /// What it said.
        why: String,
    },
}

/// One agent, running or stopped.
pub struct Agent {
    player: Player,
    config: AgentConfig,
    stop: CancellationToken,
    task: Option<JoinHandle<Result<(), RunError>>>,
}

impl Agent {
    /// Enrols and starts it.
    pub async fn enrol(player: Player, home: Home, token: String) -> Result<Self, AgentError> {
        let config = config(player, home);
        let request = EnrollRequest {
            gateway: config.gateway.clone(),
            token,
            data_dir: config.data_dir.clone(),
            source_addresses: config.source_addresses.clone(),
        };
        quorate_agent::enroll(request).await.map_err(|source| AgentError::Enrol { id: player.id, source })?;
        let mut agent = Self { player, config, stop: CancellationToken::new(), task: None };
        agent.start().await?;
        Ok(agent)
    }

    /// Runs it; one that is just ending has ended first.
    pub async fn start(&mut self) -> Result<(), AgentError> {
        if self.stop.is_cancelled() {
            self.ended().await;
        }
        self.check().await?;
        if self.task.is_none() {
            self.stop = CancellationToken::new();
            self.task = Some(tokio::spawn(quorate_agent::run(self.config.clone(), self.stop.clone())));
        }
        Ok(())
    }

    /// Tells it to end.
    pub fn stop(&mut self) {
        self.stop.cancel();
    }

    /// Waits for its end.
    pub async fn ended(&mut self) {
        if let Some(mut task) = self.task.take()
            && timeout(END_WITHIN, &mut task).await.is_err()
        {
            tracing::warn!("the agent of {} does not end and is cut off", self.player.id);
            task.abort();
        }
    }

    /// An error if it ended though nobody stopped it.
    pub async fn check(&mut self) -> Result<(), AgentError> {
        if self.stop.is_cancelled() || self.task.as_ref().is_none_or(|task| !task.is_finished()) {
            return Ok(());
        }
        let Some(task) = self.task.take() else { return Ok(()) };
        let why = match task.await {
            Ok(Ok(())) => "it gave no reason".to_owned(),
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        Err(AgentError::Ended { id: self.player.id, why })
    }
}

/// An agent's file, with no more allowed than the play needs.
fn config(player: Player, home: Home) -> AgentConfig {
    let probes_a_round = (PLAYERS.len() - 1) * DOORS.len();
    let mut config = AgentConfig::new(home.gateway, home.directory.join(player.id));
    config.source_addresses = vec![player.address()];
    config.limits = Limits {
        ports: Ports::Only(BTreeSet::from([home.port])),
        // A round takes a minute divided by the speed.
        probes_per_minute: probes_a_round as u32 * (home.speed + 1),
        min_spacing: cast::min_spacing(home.speed),
        addresses: AddressLimits { loopback: true, private: false, link_local: false },
    };
    config
}
