//! How everybody is at a moment: what the troubles that are on make of servers, agents and paths.
//!
//! Derived afresh whenever a trouble begins, turns or ends, so that no trouble has to know how to undo itself.

use std::time::Duration;

use quorate_core::fleet::Intent;
use quorate_core::lane::{Lane, LaneSet};
use quorate_core::outcome::{Failure, FailureKind, Operation as Step, Outcome, Reason};
use quorate_core::probe::ProbeKind;
use quorate_core::time::Moment;

use super::blueprint::Blueprint;
use super::operation::{Manner, Operation, Over, Trouble, Word};

/// One server and its agent.
#[derive(Debug, Clone, Default)]
#[allow(clippy::struct_excessive_bools, reason = "they are independent of each other: each is a trouble's own word")]
pub(super) struct Condition {
    pub host_dead: bool,
    /// Nothing listens.
    pub stopped: bool,
    /// The same, by the operator's wish and for seconds.
    pub restarting: bool,
    pub expired: bool,
    /// Flapping, and down just then.
    pub flapped_down: bool,
    /// Flapping, whether up or down.
    pub flaps: bool,
    /// Lanes on which nobody gets in.
    pub closed_in: LaneSet,
    /// Lanes on which its agent gets nowhere.
    pub closed_out: LaneSet,
    /// Lanes that it has no address for.
    pub no_address: LaneSet,
    /// Knocks on it and by it that are lost, in a million.
    pub lossy_ppm: u32,
    pub agent_stopped: bool,
    pub agent_away: bool,
    pub wiped: bool,
    pub late_ms: u64,
    pub uplink_dead: bool,
    pub lost_ppm: u32,
    pub doubled_ppm: u32,
    pub delay_ms: u64,
    /// Its wall clock is off by more than a minute.
    pub clock_off: bool,
    /// Whom it lies about, by number, and what it says.
    pub lies: Vec<(Vec<bool>, Word)>,
    pub drained: bool,
    pub disabled: bool,
    pub gone: bool,
}

/// Connections that do not get through, by server.
#[derive(Debug, Clone)]
struct Barrier {
    from: Vec<bool>,
    to: Vec<bool>,
    over: Over,
    manner: Manner,
}

/// Everybody, and what is between them.
#[derive(Debug, Clone)]
pub(super) struct Conditions {
    pub hosts: Vec<Condition>,
    barriers: Vec<Barrier>,
    pub aggregator_away: bool,
}

/// How a knock ends if chance does not lose it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is answered.
    Answered,
    /// It ends like that.
    Ends(Outcome),
}

impl Conditions {
    /// What these operations, which are on at `at`, make of everybody.
    pub fn of<'a>(blueprint: &Blueprint, on: impl Iterator<Item = &'a Operation>, at: Moment) -> Self {
        let hosts = blueprint.hosts.iter().map(|host| Condition {
            no_address: if host.ipv6 { LaneSet::EMPTY } else { Over::V6.lanes() },
            ..Condition::default()
        });
        let mut all = Self { hosts: hosts.collect(), barriers: Vec::new(), aggregator_away: false };
        for operation in on {
            all.apply(blueprint, operation, at);
        }
        all
    }

    fn apply(&mut self, blueprint: &Blueprint, operation: &Operation, at: Moment) {
        let host = |server: &u16| usize::from(*server);
        match &operation.trouble {
            Trouble::HostDead(server) => self.hosts[host(server)].host_dead = true,
            Trouble::ServiceStopped(server) => self.hosts[host(server)].stopped = true,
            Trouble::ServiceRestarts(server) => self.hosts[host(server)].restarting = true,
            Trouble::CertificateExpired(server) => self.hosts[host(server)].expired = true,
            Trouble::IngressDead(server, over) => add(&mut self.hosts[host(server)].closed_in, *over),
            Trouble::EgressDead(server, over) => add(&mut self.hosts[host(server)].closed_out, *over),
            Trouble::NoAddress(server, over) => add(&mut self.hosts[host(server)].no_address, *over),
            Trouble::Lossy(server, ppm) => {
                let lossy = &mut self.hosts[host(server)].lossy_ppm;
                *lossy = (*lossy).max(*ppm);
            }
            Trouble::Flaps { server, .. } => {
                self.hosts[host(server)].flaps = true;
                self.hosts[host(server)].flapped_down |= operation.is_down_at(at);
            }
            Trouble::Wall { from, to, over, manner } => self.barriers.push(Barrier {
                from: blueprint.members(from),
                to: blueprint.members(to),
                over: *over,
                manner: *manner,
            }),
            Trouble::AgentStopped(server) => self.hosts[host(server)].agent_stopped = true,
            Trouble::AgentSlow { server, late_ms } => {
                let late = &mut self.hosts[host(server)].late_ms;
                *late = (*late).max(*late_ms);
            }
            Trouble::AgentAway { server, wiped } => {
                self.hosts[host(server)].agent_away = true;
                self.hosts[host(server)].wiped |= *wiped;
            }
            Trouble::UplinkDead(group) => {
                self.of_each(&blueprint.members(group), |host| host.uplink_dead = true);
            }
            Trouble::BadMessages { servers, lost_ppm, doubled_ppm, delay_ms } => {
                self.of_each(&blueprint.members(servers), |host| {
                    host.lost_ppm = host.lost_ppm.max(*lost_ppm);
                    host.doubled_ppm = host.doubled_ppm.max(*doubled_ppm);
                    host.delay_ms = host.delay_ms.max(*delay_ms);
                });
            }
            Trouble::AggregatorAway => self.aggregator_away = true,
            Trouble::ClockOff(server, by_s) => self.hosts[host(server)].clock_off |= by_s.abs() > 60,
            Trouble::Lies { server, about, word } => {
                self.hosts[host(server)].lies.push((blueprint.members(about), *word));
            }
            Trouble::Drained(server) => self.hosts[host(server)].drained = true,
            Trouble::Disabled(server) => self.hosts[host(server)].disabled = true,
            Trouble::Gone(server) => self.hosts[host(server)].gone = true,
            Trouble::NewAddress(_) => {}
        }
    }

    fn of_each(&mut self, members: &[bool], change: impl Fn(&mut Condition)) {
        self.hosts.iter_mut().zip(members).filter(|(_, is_in)| **is_in).for_each(|(host, _)| change(host));
    }

    /// How a knock of one server on another ends.
    pub fn fate(&self, witness: usize, target: usize, kind: ProbeKind, lane: Lane) -> Fate {
        let (from, to) = (&self.hosts[witness], &self.hosts[target]);
        if from.no_address.contains(lane) {
            return Fate::Ends(Outcome::Inconclusive(Reason::NoRoute));
        }
        let cut =
            || self.barriers.iter().filter(|wall| wall.from[witness] && wall.to[target] && wall.over.covers(lane));
        let dropped = from.closed_out.contains(lane)
            || to.closed_in.contains(lane)
            || to.host_dead
            || to.flapped_down
            || cut().any(|wall| wall.manner == Manner::Drop || lane.is_udp());
        if dropped {
            Fate::Ends(lost(kind))
        } else if cut().any(|wall| wall.manner == Manner::Reset) {
            Fate::Ends(failed(Step::Connect, FailureKind::ConnectionReset, Duration::from_millis(40)))
        } else if to.stopped || to.restarting {
            let step = if lane.is_udp() { Step::QuicHandshake } else { Step::Connect };
            Fate::Ends(failed(step, FailureKind::ConnectionRefused, Duration::from_millis(40)))
        } else if cut().next().is_some() {
            Fate::Ends(failed(Step::TlsHandshake, FailureKind::Timeout, kind.budget()))
        } else if to.expired && from.clock_off {
            Fate::Ends(Outcome::Inconclusive(Reason::ClockOff))
        } else if to.expired {
            let step = if lane.is_udp() { Step::QuicHandshake } else { Step::TlsHandshake };
            Fate::Ends(failed(step, FailureKind::ExpiredCertificate, Duration::from_millis(80)))
        } else {
            Fate::Answered
        }
    }

    /// What the operator wants of a server; none: it is not in the inventory.
    pub fn intent(&self, server: usize) -> Option<Intent> {
        let host = &self.hosts[server];
        match (host.gone, host.disabled, host.drained) {
            (true, _, _) => None,
            (_, true, _) => Some(Intent::Disabled),
            (_, _, true) => Some(Intent::Drained),
            _ => Some(Intent::Active),
        }
    }
}

impl Condition {
    /// Whether its agent is a running process.
    pub fn agent_runs(&self) -> bool {
        !(self.host_dead || self.agent_away || self.gone)
    }

    /// Whether its agent finds that nothing listens.
    pub fn says_down(&self) -> bool {
        self.stopped || self.restarting
    }

    /// What it says of a knock on a server.
    pub fn told(&self, target: usize, kind: ProbeKind, saw: Outcome) -> Outcome {
        match self.lies.iter().find(|(about, _)| about[target]) {
            None => saw,
            Some((_, Word::Denies)) => lost(kind),
            Some((_, Word::Vouches)) => Outcome::Reached { latency: Duration::from_millis(30) },
        }
    }
}

/// A knock to which nothing came back.
pub(super) fn lost(kind: ProbeKind) -> Outcome {
    let step = if kind.is_udp() { Step::QuicHandshake } else { Step::Connect };
    // A TCP connect has a budget of its own within the whole.
    let after = if kind.is_udp() { kind.budget() } else { ProbeKind::Tcp.budget() };
    failed(step, FailureKind::Timeout, after)
}

fn failed(operation: Step, kind: FailureKind, after: Duration) -> Outcome {
    Outcome::Failed(Failure { operation, kind, after, bytes: 0 })
}

fn add(lanes: &mut LaneSet, over: Over) {
    Lane::ALL.into_iter().filter(|lane| over.covers(*lane)).for_each(|lane| lanes.insert(lane));
}
