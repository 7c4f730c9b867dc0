//! Test-only: what is true of every fleet and every history (the invariants of ARCHITECTURE.md that core can prove).

#![allow(clippy::unwrap_used, reason = "a test that cannot go on shall stop")]

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use proptest::prelude::*;

use crate::balance;
use crate::evaluate::{self, Evaluator};
use crate::fleet::{EntryIx, EntryPointSpec, Fleet, Intent, RouteSpec, ServerIx, ServerSpec};
use crate::lane::Lane;
use crate::ledger::Ledger;
use crate::outcome::Outcome;
use crate::policy::Policy;
use crate::report::{Health, Report};
use crate::streak::Pair;
use crate::time::Moment;
use crate::timeline::{FAILED, INCONCLUSIVE, REACHED};
use crate::verdict::{Accord, EntryVerdict, State, Status, Verdicts};

/// A server in few words: country, site, verifier, intent, lanes of its entry points, upstream of the first one.
#[derive(Debug, Clone)]
struct Drawn {
    country: Option<u8>,
    site: Option<u8>,
    verifier: bool,
    intent: Intent,
    lanes: Vec<Lane>,
    upstream: Option<usize>,
}

/// Whoever is on the first side reaches nobody on the second, by the bits of their numbers; nor back, if `both_ways`.
#[derive(Debug, Clone, Copy, Default)]
struct Wall {
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
enum Op {
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
fn history() -> impl Strategy<Value = Vec<Op>> {
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

fn fleet_of(drawn: &[Drawn], chains: bool) -> Fleet {
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
struct Past {
    fleet: Fleet,
    policy: Policy,
    ledger: Ledger,
    evaluator: Evaluator,
    now: Moment,
}

impl Past {
    fn new(drawn: &[Drawn], chains: bool) -> Self {
        let fleet = fleet_of(drawn, chains);
        let ledger = Ledger::new(&fleet, Moment::ZERO);
        let now = Moment::from_ms(1_000_000);
        Self { fleet, policy: Policy::default(), ledger, evaluator: Evaluator::default(), now }
    }

    fn wait(&mut self, s: u64) {
        self.now = self.now.after(Duration::from_secs(s));
    }

    /// The reports that an operation leads to; time passes.
    fn reports(&mut self, op: &Op) -> Vec<Report> {
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

    fn live(&mut self, ops: &[Op]) {
        for op in ops {
            for report in self.reports(op) {
                self.ledger.fold(&self.fleet, &self.policy, &report);
            }
        }
    }

    fn evaluate(&mut self) -> Verdicts {
        self.evaluator.evaluate(&self.fleet, &self.policy, &mut self.ledger, self.now);
        self.evaluator.verdicts().clone()
    }

    /// One round in which everybody reports, all well but what is drawn.
    fn round(&mut self, broken: &[(usize, usize)]) {
        let op = Op::Round { after_s: 60, silent: Vec::new(), broken: broken.to_vec(), wall: Wall::default() };
        self.live(&[op]);
    }

    fn sites(&self, servers: impl IntoIterator<Item = ServerIx>) -> BTreeSet<u32> {
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

fn servers() -> impl Strategy<Value = Vec<Drawn>> {
    prop::collection::vec(drawn(), 2..9)
}

/// Accusers and holders of an entry point.
fn against(verdict: &EntryVerdict) -> BTreeSet<ServerIx> {
    verdict.accusers.iter().map(|accuser| accuser.witness).chain(verdict.held.iter().copied()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Kept tallies answer as fresh ones, whatever was reported, late or not, and however often it was evaluated.
    #[test]
    fn an_evaluator_that_was_kept_answers_as_a_fresh_one(drawn in servers(), ops in history()) {
        let mut past = Past::new(&drawn, true);
        for op in &ops {
            past.live(core::slice::from_ref(op));
            if matches!(op, Op::Evaluate | Op::Wait { .. } | Op::Report { .. }) {
                let mut apart = past.ledger.clone();
                let fresh = evaluate::verdicts(&past.fleet, &past.policy, &mut apart, past.now);
                let kept = past.evaluate();
                prop_assert_eq!(kept, fresh);
                prop_assert_eq!(&past.ledger, &apart);
            }
        }
    }

    /// Between two moments at which something is due, evaluating changes nothing.
    #[test]
    fn nothing_changes_before_it_is_due(drawn in servers(), ops in history()) {
        let mut past = Past::new(&drawn, true);
        past.live(&ops);
        let mut last = past.evaluate();
        for _ in 0..6 {
            let due = past.evaluator.next_change(&past.policy, &past.ledger);
            prop_assert!(due > past.now);
            if due == Moment::MAX {
                break;
            }
            past.now = due.before(Duration::from_millis(1));
            let before = past.evaluate();
            prop_assert_eq!(&before.entry_points, &last.entry_points);
            prop_assert_eq!(&before.servers, &last.servers);
            prop_assert_eq!(&before.cuts, &last.cuts);
            past.now = due;
            last = past.evaluate();
            prop_assert_eq!(&past.evaluate(), &last, "nothing happened in between");
        }
    }

    /// Invariant 2.
    #[test]
    fn the_same_reports_in_the_same_order_give_the_same_verdicts(drawn in servers(), ops in history()) {
        let run = || {
            let mut past = Past::new(&drawn, true);
            past.live(&ops);
            let verdicts = past.evaluate();
            (past.ledger, verdicts)
        };
        prop_assert_eq!(run(), run());
    }

    /// Invariant 3, first half: but for the round's own verdict on its witness, its failures leave no trace.
    #[test]
    fn failures_of_a_discredited_round_change_nothing(drawn in servers(), ops in history()) {
        let (mut past, mut without) = (Past::new(&drawn, true), Past::new(&drawn, true));
        for op in &ops {
            let reports = past.reports(op);
            without.reports(op);
            for report in reports {
                past.ledger.fold(&past.fleet, &past.policy, &report);
                let state = past.ledger.server(report.witness).clone();
                let mut cleaned = report.clone();
                for (ix, outcome) in &mut cleaned.outcomes {
                    let lane = past.fleet.entry_point(*ix).lane;
                    if state.discredited().contains(lane) && *outcome == FAILED {
                        *outcome = INCONCLUSIVE;
                    }
                }
                without.ledger.fold(&without.fleet, &without.policy, &cleaned);
                without.ledger.restore_server(report.witness, state);
            }
        }
        prop_assert_eq!(past.evaluate(), without.evaluate());
    }

    /// Invariant 3, second half. Whether a pair is broken both ways is said of void votes too, and is not compared.
    #[test]
    fn void_votes_change_no_verdict(drawn in servers(), ops in history()) {
        let mut past = Past::new(&drawn, false);
        past.live(&ops);
        let mut without = past.ledger.clone();
        let verdicts = past.evaluate();
        for (ix, verdict) in past.fleet.entry_ixs().zip(&verdicts.entry_points) {
            for witness in &verdict.void {
                without.restore_pair(*witness, ix, Pair::UNKNOWN);
            }
        }
        let bare = |verdicts: &Verdicts| {
            let mut bare = verdicts.clone();
            for verdict in &mut bare.entry_points {
                verdict.void.clear();
                verdict.marks.iter_mut().for_each(|mark| mark.mutual = false);
            }
            bare
        };
        let cleaned = evaluate::verdicts(&past.fleet, &past.policy, &mut without, past.now);
        prop_assert_eq!(bare(&cleaned), bare(&verdicts));
    }

    /// Invariant 4: after a round of everybody nobody says anything more.
    #[test]
    fn silence_raises_nothing_but_no_data_and_lifts_nothing_before_hold_for(
        drawn in servers(),
        ops in history(),
        broken in prop::collection::vec((0..8_usize, 0..12_usize), 0..14),
    ) {
        let mut past = Past::new(&drawn, true);
        past.live(&ops);
        past.round(&broken);
        let then = past.evaluate();
        let stood: Vec<_> = past.fleet.entry_ixs().map(|ix| past.ledger.standing(ix).clone()).collect();
        let last_round = past.now;
        for s in [1, 180, 181, 500, 900, 901, 2000] {
            past.now = last_round.after(Duration::from_secs(s));
            let later = past.evaluate();
            for ix in past.fleet.entry_ixs() {
                let (before, after) = (&then.entry_points[ix.at()], &later.entry_points[ix.at()]);
                prop_assert!(after.unreachable.is_subset(&stood[ix.at()].unreachable), "{s} s: {ix:?}");
                prop_assert!(after.blocked.is_subset(&stood[ix.at()].blocked), "{s} s: {ix:?}");
                prop_assert!(after.marks.len() <= before.marks.len(), "{s} s: {ix:?}");
                let held_until = against(before)
                    .into_iter()
                    .filter_map(|witness| past.ledger.pair(witness, ix).last_evidence_at())
                    .map(|last| last.after(past.policy.hold_for))
                    .min();
                if held_until.is_some_and(|until| past.now <= until) {
                    prop_assert!(before.unreachable.is_subset(&after.unreachable), "{s} s: {ix:?}");
                    prop_assert!(before.blocked.is_subset(&after.blocked), "{s} s: {ix:?}");
                }
            }
            for (before, after) in then.servers.iter().zip(&later.servers) {
                let new = after.conditions.iter().filter(|word| !before.conditions.contains(word));
                let new: Vec<Status> = new.copied().filter(|word| !matches!(word, Status::NoData | Status::Ok)).collect();
                // What is remembered behind `contested` or `down` may show again; it is no new verdict.
                let remembered = [Status::Unreachable, Status::Blocked, Status::Degraded];
                prop_assert!(new.iter().all(|word| remembered.contains(word)), "{s} s: {new:?}");
            }
        }
    }

    /// Invariant 5.
    #[test]
    fn nothing_is_unreachable_without_a_quorum_of_sites(drawn in servers(), ops in history()) {
        let mut past = Past::new(&drawn, true);
        for op in &ops {
            past.live(core::slice::from_ref(op));
            let verdicts = past.evaluate();
            for verdict in verdicts.entry_points.iter().filter(|verdict| !verdict.unreachable.is_empty()) {
                let against = past.sites(against(verdict));
                prop_assert!(against.len() >= past.policy.quorum as usize);
                prop_assert!(!verdict.down);
            }
        }
    }

    /// Invariant 6.
    #[test]
    fn a_route_with_an_active_entry_point_is_never_empty(drawn in servers(), ops in history(), abroad in any::<bool>()) {
        let mut past = Past::new(&drawn, true);
        past.live(&ops);
        let verdicts = past.evaluate();
        for ix in past.fleet.route_ixs() {
            let country = abroad.then(|| "BB".parse().unwrap());
            let slate = balance::slate(&past.fleet, &verdicts, ix, country);
            let of = |intent| past.fleet.route(ix).entry_points.iter().any(|ix| past.fleet.owner(*ix).intent == intent);
            prop_assert_eq!(slate.deliver.is_empty(), !of(Intent::Active) && !of(Intent::Drained));
            let good = slate.deliver.iter().all(|offer| offer.tier <= 1);
            prop_assert_eq!(slate.last_resort, !slate.deliver.is_empty() && (!good || !of(Intent::Active)));
            // Nothing that is withheld would have been better.
            let worst = slate.deliver.iter().map(|offer| offer.tier).max();
            let active = |ix: EntryIx| past.fleet.owner(ix).intent == Intent::Active;
            let better = slate.withheld.iter().filter(|offer| active(offer.entry_point) && Some(offer.tier) < worst);
            prop_assert_eq!(better.count(), 0);
        }
    }

    /// Invariant 7.
    #[test]
    fn everything_heals_after_one_good_round_of_each(drawn in servers(), ops in history()) {
        let mut past = Past::new(&drawn, true);
        past.live(&ops);
        past.evaluate();
        past.round(&[]);
        let verdicts = past.evaluate();
        prop_assert!(verdicts.cuts.is_empty());
        for (ix, verdict) in past.fleet.server_ixs().zip(&verdicts.servers) {
            let disabled = past.fleet.server(ix).intent == Intent::Disabled;
            prop_assert_eq!(verdict.status, if disabled { Status::Disabled } else { Status::Ok });
            prop_assert!(verdict.discredited.is_empty() && verdict.half_blind.is_none());
        }
        for (ix, verdict) in past.fleet.entry_ixs().zip(&verdicts.entry_points) {
            let expected = if leads_nowhere(&past.fleet, ix) { State::CutOff } else { State::Clear };
            prop_assert_eq!(verdict.state(), expected);
            prop_assert_eq!(verdict.accord, Accord::None);
            prop_assert!(past.ledger.standing(ix).is_empty() || past.fleet.owner(ix).intent == Intent::Disabled);
        }
    }

    /// Invariant 8, as far as core can lose anything.
    #[test]
    fn a_restored_ledger_goes_on_as_if_nothing_had_happened(drawn in servers(), before in history(), after in history()) {
        let mut past = Past::new(&drawn, true);
        past.live(&before);
        past.evaluate();
        let mut restored = Past::new(&drawn, true);
        restored.now = past.now;
        restored.ledger.resume(past.ledger.evaluation_started_at());
        for ix in past.fleet.server_ixs() {
            restored.ledger.restore_server(ix, past.ledger.server(ix).clone());
        }
        for ix in past.fleet.entry_ixs() {
            restored.ledger.restore_standing(ix, past.ledger.standing(ix).clone());
            for (witness, pair) in past.ledger.pairs(ix) {
                restored.ledger.restore_pair(witness, ix, Pair::from_bytes(pair.to_bytes()));
            }
        }
        past.live(&after);
        restored.live(&after);
        prop_assert_eq!(past.evaluate(), restored.evaluate());
    }

    /// R2: an inventory that changed and changed back kept everything, but of what was gone in between.
    #[test]
    fn a_server_that_joins_and_leaves_disturbs_nobody(drawn in servers(), ops in history()) {
        let mut past = Past::new(&drawn, true);
        past.live(&ops);
        let expected = past.evaluate();
        // Its id sorts before all others: every index moves, and moves back.
        let with = {
            let old = fleet_of(&drawn, true);
            let mut specs: Vec<ServerSpec> = specs_of(&old);
            specs.push(ServerSpec {
                id: "0".into(),
                country: None,
                site: None,
                verifier: false,
                intent: Intent::Active,
                entry_points: alloc::vec![EntryPointSpec {
                    id: "0/0".into(),
                    lane: Lane::Tcp4,
                    address: None,
                    probe: None,
                    upstreams: Vec::new(),
                    weight: 1,
                }],
            });
            Fleet::new(specs, Vec::new()).unwrap()
        };
        let there = past.ledger.over(&past.fleet, &with, past.now);
        let mut back = there.over(&with, &past.fleet, past.now);
        let verdicts = evaluate::verdicts(&past.fleet, &past.policy, &mut back, past.now);
        prop_assert_eq!(verdicts, expected);
    }
}

/// The declaration of a fleet, without its routes.
fn specs_of(fleet: &Fleet) -> Vec<ServerSpec> {
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

/// Whether an entry point forwards to disabled servers alone, at the end of every chain.
fn leads_nowhere(fleet: &Fleet, ix: EntryIx) -> bool {
    let upstreams = &fleet.entry_point(ix).upstreams;
    let dead = |to: &ServerIx| {
        let server = fleet.server(*to);
        server.intent == Intent::Disabled || server.entry_points.iter().all(|own| leads_nowhere(fleet, *own))
    };
    fleet.owner(ix).intent != Intent::Disabled && !upstreams.is_empty() && upstreams.iter().all(dead)
}
