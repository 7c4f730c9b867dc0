//! The simulated network between agents and gateway: edges that forward, lines that break at a byte of one's choice, bytes
//! that come late or never.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use quorate_agent::simulation::{Network, Stream};
use quorate_aggregator::gateway::GatewayHandle;
use quorate_aggregator::simulation;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, ReadHalf, WriteHalf, duplex, split};
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::operation::{Manner, Who};

/// One way through an edge.
const LATENCY: Duration = Duration::from_millis(20);
/// What a socket holds.
const BUFFER: usize = 64 * 1024;

/// The network. Clones are the same one.
#[derive(Clone, Default)]
pub struct Net(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    gateway: Option<GatewayHandle>,
    edges: BTreeMap<IpAddr, Manner>,
    lines: Vec<Arc<Line>>,
    certificates: BTreeMap<Who, [u8; 32]>,
}

/// One connection through an edge.
struct Line {
    who: Who,
    edge: IpAddr,
    /// The agent's end is gone.
    agent_off: CancellationToken,
    /// The gateway's end is gone.
    gateway_off: CancellationToken,
    flow: Mutex<Flow>,
}

#[derive(Default)]
struct Flow {
    /// Bytes that still pass before it breaks.
    up_left: Option<usize>,
    down_left: Option<usize>,
    /// Until then nothing passes upwards.
    stuck_until: Option<Instant>,
    swallows: bool,
}

impl Net {
    /// Where the edges are.
    pub fn edge(number: u8) -> IpAddr {
        Ipv4Addr::new(203, 0, 113, number + 1).into()
    }

    /// Who shows which certificate.
    pub fn knows(&self, who: Who, certificate: [u8; 32]) {
        self.state().certificates.insert(who, certificate);
    }

    /// The gateway listens, or its process is gone and all connections with it.
    pub fn set_gateway(&self, gateway: Option<GatewayHandle>) {
        let mut state = self.state();
        if gateway.is_none() {
            state.lines.drain(..).for_each(|line| line.breaks());
        }
        state.gateway = gateway;
    }

    pub fn set_edge(&self, edge: u8, manner: Manner) {
        let mut state = self.state();
        let edge = Self::edge(edge);
        state.edges.insert(edge, manner);
        for line in state.lines.iter().filter(|line| line.edge == edge) {
            match manner {
                Manner::Well => {}
                Manner::Gone => line.breaks(),
                Manner::Silent => line.flow().swallows = true,
            }
        }
    }

    /// All edges forward.
    pub fn heal(&self) {
        self.state().edges.clear();
    }

    pub fn cut(&self, who: Who) {
        self.each(who, Line::breaks);
    }

    pub fn cut_up(&self, who: Who, bytes: usize) {
        self.each(who, |line| line.flow().up_left = Some(bytes));
    }

    pub fn cut_down(&self, who: Who, bytes: usize) {
        self.each(who, |line| line.flow().down_left = Some(bytes));
    }

    pub fn swallow(&self, who: Who) {
        self.each(who, |line| line.flow().swallows = true);
    }

    pub fn stick(&self, who: Who, span: Duration) {
        self.each(who, |line| {
            line.flow().stuck_until = Some(Instant::now() + span);
            let agent_off = line.agent_off.clone();
            tokio::spawn(async move {
                sleep(span / 2).await;
                agent_off.cancel();
            });
        });
    }

    fn each(&self, who: Who, act: impl Fn(&Line)) {
        self.state().lines.iter().filter(|line| line.who == who).for_each(|line| act(line));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One connection of `who`, as an edge makes it.
    async fn dial(self, who: Who, to: SocketAddr) -> io::Result<Box<dyn Stream>> {
        sleep(LATENCY).await;
        let manner = self.state().edges.get(&to.ip()).copied().unwrap_or(Manner::Well);
        match manner {
            Manner::Well => {}
            Manner::Gone => return Err(io::ErrorKind::ConnectionRefused.into()),
            Manner::Silent => return std::future::pending().await,
        }
        let (agent, edge_to_agent) = duplex(BUFFER);
        let (edge_to_gateway, gateway) = duplex(BUFFER);
        let mut state = self.state();
        let (Some(handle), Some(certificate)) = (state.gateway.clone(), state.certificates.get(&who).copied()) else {
            // The edge is there and nobody behind it: it takes the connection and drops it.
            return Ok(Box::new(agent));
        };
        let line = Arc::new(Line {
            who,
            edge: to.ip(),
            agent_off: CancellationToken::new(),
            gateway_off: CancellationToken::new(),
            flow: Mutex::default(),
        });
        state.lines.retain(|line| !line.gateway_off.is_cancelled());
        state.lines.push(Arc::clone(&line));
        drop(state);
        tokio::spawn(async move { simulation::connect(&handle, gateway, to, certificate).await });
        let (from_agent, to_agent) = split(edge_to_agent);
        let (from_gateway, to_gateway) = split(edge_to_gateway);
        tokio::spawn(up(from_agent, to_gateway, Arc::clone(&line)));
        tokio::spawn(down(from_gateway, to_agent, line));
        Ok(Box::new(agent))
    }
}

/// The network as one server dials it.
pub struct Dialler {
    pub net: Net,
    pub who: Who,
}

impl Network for Dialler {
    fn connect(&self, to: SocketAddr) -> Pin<Box<dyn Future<Output = io::Result<Box<dyn Stream>>> + Send>> {
        Box::pin(self.net.clone().dial(self.who, to))
    }
}

impl Line {
    fn breaks(&self) {
        self.agent_off.cancel();
        self.gateway_off.cancel();
    }

    fn flow(&self) -> MutexGuard<'_, Flow> {
        self.flow.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// From the agent to the gateway.
async fn up(mut from: ReadHalf<DuplexStream>, mut to: WriteHalf<DuplexStream>, line: Arc<Line>) {
    let mut stuck = Vec::new();
    let mut bytes = [0; 4096];
    loop {
        let until = line.flow().stuck_until;
        let read = tokio::select! {
            biased;
            () = line.gateway_off.cancelled() => return,
            () = line.agent_off.cancelled() => 0,
            () = passed(until), if until.is_some() => {
                line.flow().stuck_until = None;
                if to.write_all(&std::mem::take(&mut stuck)).await.is_err() {
                    return line.breaks();
                }
                continue;
            }
            read = from.read(&mut bytes) => read.unwrap_or(0),
        };
        if read == 0 {
            break;
        }
        sleep(LATENCY).await;
        if line.flow().stuck_until.is_some() {
            stuck.extend_from_slice(&bytes[..read]);
            continue;
        }
        let (passing, breaks) = passing(read, |flow| &mut flow.up_left, &line);
        if to.write_all(&bytes[..passing]).await.is_err() || breaks {
            return line.breaks();
        }
    }
    // The agent is gone; what it sent before comes through all the same.
    drop(from);
    let until = line.flow().stuck_until;
    tokio::select! {
        biased;
        () = line.gateway_off.cancelled() => return,
        () = passed(until) => {}
    }
    let _ = to.write_all(&stuck).await;
    let _ = to.shutdown().await;
    line.gateway_off.cancel();
}

/// From the gateway to the agent.
async fn down(mut from: ReadHalf<DuplexStream>, to: WriteHalf<DuplexStream>, line: Arc<Line>) {
    let mut to = Some(to);
    let mut bytes = [0; 4096];
    loop {
        let read = tokio::select! {
            biased;
            () = line.gateway_off.cancelled() => break,
            () = line.agent_off.cancelled(), if to.is_some() => {
                to = None;
                continue;
            }
            read = from.read(&mut bytes) => read.unwrap_or(0),
        };
        if read == 0 {
            break;
        }
        sleep(LATENCY).await;
        let Some(agent) = &mut to else { continue };
        let (passing, breaks) = passing(read, |flow| &mut flow.down_left, &line);
        if agent.write_all(&bytes[..passing]).await.is_err() || breaks {
            return line.breaks();
        }
    }
    if let Some(mut agent) = to {
        let _ = agent.shutdown().await;
    }
    line.breaks();
}

/// How many of `read` bytes pass, and whether the line breaks behind them.
fn passing(read: usize, left: impl Fn(&mut Flow) -> &mut Option<usize>, line: &Line) -> (usize, bool) {
    let mut flow = line.flow();
    if flow.swallows {
        return (0, false);
    }
    match left(&mut flow) {
        None => (read, false),
        Some(left) if *left <= read => (*left, true),
        Some(left) => {
            *left -= read;
            (read, false)
        }
    }
}

async fn passed(until: Option<Instant>) {
    if let Some(until) = until {
        sleep_until(until).await;
    }
}
