//! Random fleets and what happens to them: the strategies of the invariants.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on shall stop")]

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use proptest::prelude::*;

use crate::evaluate::Evaluator;
use crate::fleet::{EntryPointSpec, Fleet, Intent, RouteSpec, ServerIx, ServerSpec};
use crate::lane::Lane;
use crate::ledger::Ledger;
use crate::outcome::Outcome;
use crate::policy::Policy;
use crate::report::{Health, Report};
use crate::tests::timeline::{FAILED, INCONCLUSIVE, REACHED};
use crate::time::Moment;
use crate::verdict::Verdicts;

/// A server in few words: country, site, verifier, intent, lanes of its entry points, upstream of the first one.
#[derive(Debug, Clone)]
pub(super) struct Drawn {
    country: Option<u8>,
    site: Option<u8>,
    verifier: bool,
    intent: Intent,
    lanes: Vec<Lane>,
    upstream: Option<usize>,
}

/// Whoever is on the first side reaches nobody on the second, by the bits of their numbers; nor back, if `both_ways`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Wall {
    from: u16,
    to: u16,
    both_ways: bool,
}

impl Wall {
    fn is_between(self, witness: usize, target: usize) -> bool {
        let stops = |from: u16, to: u16| from >> witness & 1 == 1 && to >> target & 1 == 1;
        stops(self.from, self.to) || self.both_ways && stops(self.to, self.from)
    }
}

/// Something that happens.
#[derive(Debug, Clone)]
pub(super) enum Op {
    /// A witness reports; `outcomes` are dealt over all entry points in turn, `late_s` back in time.
    Report { witness: usize, outcomes: Vec<u8>, down: bool, late_s: u64 },
    /// Everybody who is not named reports that all is well but the pairs drawn, seconds after the last moment.
    Round { after_s: u64, silent: Vec<usize>, broken: Vec<(usize, usize)>, wall: Wall },
    /// Time passes.
    Wait { s: u64 },
    /// Everything is evaluated.
    Evaluate,
    /// The aggregator was paused.
    Resume,
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let lanes = prop_oneof![
        6 => Just(alloc::vec![Lane::Tcp4]),
        2 => Just(alloc::vec![Lane::Tcp4, Lane::Udp4]),
        1 => Just(alloc::vec![Lane::Tcp4, Lane::Tcp4]),
    ];
    let intent = prop_oneof![8 => Just(Intent::Active), 1 => Just(Intent::Drained), 1 => Just(Intent::Disabled)];
    let country = prop_oneof![1 => Just(None), 5 => (0..3_u8).prop_map(Some)];
    let site = prop_oneof![4 => Just(None), 1 => (0..2_u8).prop_map(Some)];
    let upstream = prop_oneof![5 => Just(None), 1 => (0..8_usize).prop_map(Some)];
    (country, site, prop::bool::weighted(0.2), intent, lanes, upstream).prop_map(
        |(country, site, verifier, intent, lanes, upstream)| Drawn { country, site, verifier, intent, lanes, upstream },
    )
}

fn op() -> impl Strategy<Value = Op> {
    let report = (0..8_usize, prop::collection::vec(0..4_u8, 1..8), prop::bool::weighted(0.1), late())
        .prop_map(|(witness, outcomes, down, late_s)| Op::Report { witness, outcomes, down, late_s });
    let silent = prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec(0..8_usize, 1..4)];
    let round = (30..70_u64, silent, prop::collection::vec((0..8_usize, 0..12_usize), 0..8))
        .prop_map(|(after_s, silent, broken)| Op::Round { after_s, silent, broken, wall: Wall::default() });
    let wait = prop_oneof![4 => 1..120_u64, 1 => 150..200_u64, 1 => 850..950_u64].prop_map(|s| Op::Wait { s });
    prop_oneof![3 => report, 6 => round, 2 => wait, 5 => Just(Op::Evaluate), 1 => Just(Op::Resume)]
}

fn late() -> impl Strategy<Value = u64> {
    prop_oneof![4 => Just(0), 1 => 1..400_u64]
}

/// Histories in which pairs break for good: a set of broken pairs that lasts for some rounds, then another one. Some have
/// a wall between two groups, in one direction or both.
pub(super) fn history() -> impl Strategy<Value = Vec<Op>> {
    let sides =
        prop_oneof![3 => Just((0, 0)), 1 => (any::<u16>(), any::<u16>()), 1 => any::<u16>().prop_map(|a| (a, !a))];
    let wall = (sides, any::<bool>()).prop_map(|((from, to), both_ways)| Wall { from, to, both_ways });
    let broken = prop::collection::vec((0..8_usize, 0..12_usize), 0..14);
    let silent = prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec(0..8_usize, 1..5)];
    let spell = (broken, wall, silent, 1..6_usize, op(), op()).prop_map(|(broken, wall, silent, rounds, a, b)| {
        let mut ops = Vec::new();
        for _ in 0..rounds {
            ops.push(Op::Round { after_s: 60, silent: silent.clone(), broken: broken.clone(), wall });
            ops.push(Op::Evaluate);
        }
        ops.extend([a, b]);
        ops
    });
    prop::collection::vec(spell, 1..6).prop_map(|spells| spells.concat())
}

pub(super) fn fleet_of(drawn: &[Drawn], chains: bool) -> Fleet {
    let id = |n: usize| format!("s{n}");
    let server = |(n, drawn): (usize, &Drawn)| ServerSpec {
        id: id(n),
        country: drawn.country.map(|n| ["AA", "BB", "CC"][usize::from(n)].parse().unwrap()),
        site: drawn.site.map(|n| format!("site{n}")),
        verifier: drawn.verifier,
        intent: drawn.intent,
        entry_points: drawn
            .lanes
            .iter()
            .enumerate()
            .map(|(k, lane)| EntryPointSpec {
                id: format!("s{n}/{k}"),
                lane: *lane,
                address: None,
                probe: None,
                // Only to servers of higher numbers: no circle.
                upstreams: drawn.upstream.filter(|to| chains && k == 0 && *to > n).map(id).into_iter().collect(),
                weight: 1,
            })
            .collect(),
    };
    let mut servers: Vec<ServerSpec> = drawn.iter().enumerate().map(server).collect();
    let known: BTreeSet<String> = servers.iter().map(|server| server.id.clone()).collect();
    for server in &mut servers {
        for entry_point in &mut server.entry_points {
            entry_point.upstreams.retain(|to| known.contains(to));
        }
    }
    let all = |pick: &dyn Fn(usize) -> bool| {
        let own = servers.iter().enumerate().filter(|(n, _)| pick(*n)).flat_map(|(_, server)| &server.entry_points);
        own.map(|entry_point| entry_point.id.clone()).collect::<Vec<_>>()
    };
    let route = |id: &str, entry_points: Vec<String>, audience: &[&str]| RouteSpec {
        id: id.into(),
        entry_points,
        audience: audience.iter().map(|country| country.parse().unwrap()).collect(),
    };
    let routes = alloc::vec![
        route("all", all(&|_| true), &[]),
        route("even", all(&|n| n % 2 == 0), &[]),
        route("home", all(&|n| n % 2 == 1), &["AA"]),
        route("nobody", Vec::new(), &[]),
    ];
    Fleet::new(servers, routes).unwrap()
}

/// A fleet and its history so far.
pub(super) struct Past {
    pub fleet: Fleet,
    pub policy: Policy,
    pub ledger: Ledger,
    pub evaluator: Evaluator,
    pub now: Moment,
}

impl Past {
    pub fn new(drawn: &[Drawn], chains: bool) -> Self {
        let fleet = fleet_of(drawn, chains);
        let ledger = Ledger::new(&fleet, Moment::ZERO);
        let now = Moment::from_ms(1_000_000);
        Self { fleet, policy: Policy::default(), ledger, evaluator: Evaluator::default(), now }
    }

    pub fn wait(&mut self, s: u64) {
        self.now = self.now.after(Duration::from_secs(s));
    }

    /// The reports that an operation leads to; time passes.
    pub fn reports(&mut self, op: &Op) -> Vec<Report> {
        let count = self.fleet.servers().len();
        match op {
            Op::Report { witness, outcomes, down, late_s } => {
                let dealt = outcomes.iter().cycle().zip(self.fleet.entry_ixs());
                let outcomes = dealt.filter_map(|(mark, ix)| outcome(*mark).map(|outcome| (ix, outcome))).collect();
                let health = if *down { Health::Down } else { Health::Ok };
                let observed_at = self.now.before(Duration::from_secs(*late_s));
                let witness = ServerIx((witness % count) as u32);
                alloc::vec![Report { witness, observed_at, health, outcomes, sequence: None }]
            }
            Op::Round { after_s, silent, broken, wall } => {
                self.wait(*after_s);
                let entries = self.fleet.entry_points().len();
                let broken: BTreeSet<(usize, usize)> = broken.iter().map(|(w, e)| (w % count, e % entries)).collect();
                let speaking = (0..count).filter(|n| !silent.iter().any(|silent| silent % count == *n));
                let report = |n: usize| Report {
                    witness: ServerIx(n as u32),
                    observed_at: self.now,
                    health: Health::Ok,
                    outcomes: self
                        .fleet
                        .entry_ixs()
                        .map(|ix| {
                            let target = self.fleet.entry_point(ix).server.at();
                            let fails = broken.contains(&(n, ix.at())) || wall.is_between(n, target);
                            (ix, if fails { FAILED } else { REACHED })
                        })
                        .collect(),
                    sequence: None,
                };
                speaking.map(report).collect()
            }
            Op::Wait { s } => {
                self.wait(*s);
                Vec::new()
            }
            Op::Evaluate => {
                self.evaluate();
                Vec::new()
            }
            Op::Resume => {
                self.ledger.resume(self.now);
                Vec::new()
            }
        }
    }

    pub fn live(&mut self, ops: &[Op]) {
        for op in ops {
            for report in self.reports(op) {
                self.ledger.fold(&self.fleet, &self.policy, &report);
            }
        }
    }

    pub fn evaluate(&mut self) -> Verdicts {
        self.evaluator.evaluate(&self.fleet, &self.policy, &mut self.ledger, self.now);
        self.evaluator.verdicts().clone()
    }

    /// One round in which everybody reports, all well but what is drawn.
    pub fn round(&mut self, broken: &[(usize, usize)]) {
        let op = Op::Round { after_s: 60, silent: Vec::new(), broken: broken.to_vec(), wall: Wall::default() };
        self.live(&[op]);
    }

    /// One round in which nobody sees anybody on the other side, by the bits of their numbers.
    pub fn round_with_a_wall(&mut self, side: u16) {
        let wall = Wall { from: side, to: !side, both_ways: true };
        self.live(&[Op::Round { after_s: 60, silent: Vec::new(), broken: Vec::new(), wall }]);
    }

    pub fn sites(&self, servers: impl IntoIterator<Item = ServerIx>) -> BTreeSet<u32> {
        servers.into_iter().map(|ix| self.fleet.server(ix).site.0).collect()
    }
}

fn outcome(mark: u8) -> Option<Outcome> {
    match mark {
        0 => Some(REACHED),
        1 => Some(FAILED),
        2 => Some(INCONCLUSIVE),
        _ => None,
    }
}

pub(super) fn servers() -> impl Strategy<Value = Vec<Drawn>> {
    prop::collection::vec(drawn(), 2..9)
}

/// The declaration of a fleet, without its routes.
pub(super) fn specs_of(fleet: &Fleet) -> Vec<ServerSpec> {
    let sites: BTreeMap<u32, &str> =
        fleet.servers().iter().map(|server| (server.site.0, fleet.site(server.site))).collect();
    let server = |ix: ServerIx| {
        let server = fleet.server(ix);
        ServerSpec {
            id: server.id.clone(),
            country: server.country,
            site: Some(sites[&server.site.0].into()),
            verifier: server.verifier,
            intent: server.intent,
            entry_points: server
                .entry_points
                .iter()
                .map(|ix| {
                    let entry_point = fleet.entry_point(*ix);
                    EntryPointSpec {
                        id: entry_point.id.clone(),
                        lane: entry_point.lane,
                        address: entry_point.address.clone(),
                        probe: entry_point.probe.clone(),
                        upstreams: entry_point.upstreams.iter().map(|to| fleet.server(*to).id.clone()).collect(),
                        weight: entry_point.weight,
                    }
                })
                .collect(),
        }
    };
    fleet.server_ixs().map(server).collect()
}
