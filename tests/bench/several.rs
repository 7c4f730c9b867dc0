//! What a name with several addresses is worth by itself, and what it is worth to an agent that has a ranking: the time from
//! the start of connecting to the Welcome when one address is bad.
//!
//! Without a ranking the bad one is the first that the resolver gives, with one it is the best: each time the one that is
//! dialled first. The time is the agent's own, from its log; each try is a fresh agent.

use std::net::IpAddr;
use std::time::Duration;

use quorate_tests::clock::look_for;
use quorate_tests::fleet::{AGGREGATOR, Fleet};
use quorate_tests::trouble::Trouble;
use serde_json::{Value, json};

use crate::AGENT;
use crate::remembered::{self, Remembered, edge};

/// Of an odd number the median was measured.
const TRIES: usize = 3;
/// The longest that any of it takes by the product's own budgets is 10 s and a handshake.
const WELCOME_AT_MOST: Duration = Duration::from_secs(40);

/// A way of being bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// Nothing listens.
    Refused,
    /// Nothing answers.
    BlackHole,
    /// It takes connections and bytes, which get no further.
    ForwardsNothing,
}

const FAULTS: [Fault; 3] = [Fault::Refused, Fault::BlackHole, Fault::ForwardsNothing];

impl Fault {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::BlackHole => "black_hole",
            Self::ForwardsNothing => "forwards_nothing",
        }
    }

    fn make(self, fleet: &mut Fleet, bad: usize) {
        let host = fleet.edges[bad].host;
        match self {
            Self::Refused => fleet.edges[bad].kill(&fleet.lab),
            Self::BlackHole => fleet.lab.block(fleet.host(AGENT), host, Trouble::Drop),
            Self::ForwardsNothing => fleet.lab.block(host, AGGREGATOR, Trouble::Drop),
        }
    }

    fn mend(self, fleet: &mut Fleet, bad: usize) {
        match self {
            Self::Refused => fleet.edges[bad].restart(&fleet.lab),
            Self::BlackHole | Self::ForwardsNothing => fleet.lab.unblock(),
        }
    }
}

/// One cell of the table.
pub struct Cell {
    addresses: usize,
    fault: Fault,
    selection: bool,
    /// None if it could not be measured, which was told.
    connect_ms: Option<u64>,
}

impl Cell {
    /// As it is shown.
    pub fn to_json(&self) -> Value {
        let Self { addresses, fault, selection, connect_ms } = self;
        json!({ "addresses": addresses, "fault": fault.as_str(), "selection": selection, "connect_ms": connect_ms })
    }
}

/// The whole table. No agent runs before or afterwards.
pub fn measure(fleet: &mut Fleet) -> Vec<Cell> {
    let mut cells = Vec::new();
    for addresses in 2..=fleet.edges.len() {
        let ranking = Remembered::make(fleet, addresses);
        for fault in FAULTS {
            for selection in [false, true] {
                let shown = if selection { "with" } else { "without" };
                eprintln!("{addresses} addresses, {}, {shown} selection", fault.as_str());
                let connect_ms = cell(fleet, fault, selection.then_some(&ranking));
                let connect_ms = connect_ms.inspect_err(|problem| eprintln!("not measured: {problem}")).ok();
                cells.push(Cell { addresses, fault, selection, connect_ms });
            }
        }
    }
    cells
}

/// The median of the tries.
fn cell(fleet: &mut Fleet, fault: Fault, ranking: Option<&Remembered>) -> Result<u64, String> {
    let order = fleet.resolved(AGENT);
    let bad = match ranking {
        Some(ranking) => ranking.best,
        None => edge(fleet, *order.first().ok_or("the name has no address")?),
    };
    fault.make(fleet, bad);
    let tries: Result<Vec<u64>, String> = (0..TRIES)
        .map(|_| {
            match ranking {
                Some(ranking) => ranking.restore(fleet),
                None => remembered::forget(fleet),
            }
            let opened = opened(fleet)?;
            // By whom it came tells whether the bad one was tried at all.
            let is_past = match ranking {
                Some(_) => opened.address != fleet.address(bad),
                None => Some(&opened.address) == order.get(1),
            };
            if is_past { Ok(opened.connect_ms) } else { Err(format!("it came by {}", opened.address)) }
        })
        .collect();
    fault.mend(fleet, bad);
    let mut tries = tries?;
    tries.sort_unstable();
    Ok(tries[TRIES / 2])
}

/// A session that an agent tells of.
struct Opened {
    address: IpAddr,
    connect_ms: u64,
}

/// Starts an agent, waits for its first session, and ends it.
fn opened(fleet: &mut Fleet) -> Result<Opened, String> {
    let before = fleet.agent_log(AGENT).len();
    fleet.start_agent(AGENT);
    let opened = look_for("a session is open", WELCOME_AT_MOST, || {
        let log = fleet.agent_log(AGENT);
        let of_this_run = log.get(before..).unwrap_or_default();
        let line = of_this_run.lines().find(|line| line.contains("session opened")).ok_or(of_this_run)?;
        if of_this_run.contains("no session") {
            return Err(format!("not at the first attempt: {of_this_run}"));
        }
        let address = field(line, "edge").and_then(|edge| edge.rsplit_once(':')?.0.parse().ok());
        let connect_ms = field(line, "connect_ms").and_then(|number| number.parse().ok());
        address
            .zip(connect_ms)
            .map(|(address, connect_ms)| Opened { address, connect_ms })
            .ok_or_else(|| line.to_owned())
    });
    fleet.take_agent(AGENT).end();
    opened
}

/// A value of a line of the log.
fn field<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
}
