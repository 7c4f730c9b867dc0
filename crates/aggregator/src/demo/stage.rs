//! Everything on stage: the targets behind their border, and the agents beside them. It does what the script says and
//! knows nothing of what the fleet finds out.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;

use super::agents::{self, Agent, Home};
use super::blocks::Blocks;
use super::cast::{PLAYERS, Player};
use super::script::Deed;
use super::targets::{Identity, IdentityError, Target, common_port};

/// Why the stage cannot be set, or broke down during the play.
#[derive(Debug, thiserror::Error)]
pub enum StageError {
    /// The loopback addresses.
    #[error(
        "the demo's servers cannot listen on {address}: {problem}: the demo needs Linux, where 127/8 is the host's own"
    )]
    Listen {
        /// Where.
        address: SocketAddr,
        /// What the system said.
        problem: io::Error,
    },
    /// No common port.
    #[error("no port is free on all of the demo's addresses (127.0.77.1 and up): {0}")]
    NoPort(io::Error),
    /// A certificate.
    #[error(transparent)]
    Identity(#[from] IdentityError),
    /// An agent.
    #[error(transparent)]
    Agent(#[from] agents::AgentError),
}

/// Targets that listen; agents join later.
pub struct Stage {
    /// Port of every entry point.
    pub port: u16,
    blocks: Blocks,
    targets: BTreeMap<&'static str, Target>,
    agents: BTreeMap<&'static str, Agent>,
}

impl Stage {
    /// Opens every target's doors.
    pub async fn set() -> Result<Self, StageError> {
        let addresses = PLAYERS.map(Player::address);
        let port = common_port(&addresses).map_err(StageError::NoPort)?;
        let mut stage = Self { port, blocks: Blocks::default(), targets: BTreeMap::new(), agents: BTreeMap::new() };
        for player in PLAYERS {
            let address = SocketAddr::new(player.address(), port);
            let mut target = Target::new(address, Identity::new(&player.name())?, stage.blocks.clone());
            target.start().await.map_err(|problem| StageError::Listen { address, problem })?;
            stage.targets.insert(player.id, target);
        }
        Ok(stage)
    }

    /// The pins of the cast, in its order.
    pub fn pins(&self) -> Vec<String> {
        PLAYERS.iter().map(|player| self.targets[player.id].identity().pin.clone()).collect()
    }

    /// Enrols an agent for `player` with a one-time token, and runs it.
    pub async fn enter(&mut self, player: Player, home: Home, token: String) -> Result<(), StageError> {
        let agent = Agent::enrol(player, home, token).await?;
        self.agents.insert(player.id, agent);
        Ok(())
    }

    /// Does one thing.
    pub async fn act(&mut self, deed: Deed) -> Result<(), StageError> {
        match deed {
            Deed::Block { source, target, how } => self.blocks.block(source, target, how),
            Deed::Unblock { source, target } => self.blocks.unblock(source, target),
            Deed::StopService(id) => {
                if let Some(target) = self.targets.get_mut(id) {
                    target.stop().await;
                }
            }
            Deed::StartService(id) => {
                if let Some(target) = self.targets.get_mut(id) {
                    let address = target.address();
                    target.start().await.map_err(|problem| StageError::Listen { address, problem })?;
                }
            }
            Deed::StopAgent(id) => {
                if let Some(agent) = self.agents.get_mut(id) {
                    agent.stop();
                }
            }
            Deed::StartAgent(id) => {
                if let Some(agent) = self.agents.get_mut(id) {
                    agent.start().await?;
                }
            }
        }
        Ok(())
    }

    /// Finds agents that ended though nobody stopped them.
    pub async fn check(&mut self) -> Result<(), StageError> {
        for agent in self.agents.values_mut() {
            agent.check().await?;
        }
        Ok(())
    }

    /// Ends every agent, then every target.
    pub async fn clear(mut self) {
        self.agents.values_mut().for_each(Agent::stop);
        for agent in self.agents.values_mut() {
            agent.ended().await;
        }
        for target in self.targets.values_mut() {
            target.stop().await;
        }
    }
}
