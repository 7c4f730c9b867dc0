//! Quorate without one of its rules: what is done to its policy, its fleet, its reports or its verdicts so that the rule does
//! nothing.
//!
//! The rules themselves are core's and have no switches, so each is taken away from outside, by what leaves it nothing to do.
//! R3's word about neighbours that are dead cannot be taken away so, and is not. R6's word about silence and the aggregator's own
//! pauses, R10, R11, R15 and R17 take nothing away from anybody. `docs/detectors.md` says what else each change touches.

use std::time::Duration;

use quorate_core::fleet::{EntryPointSpec, Fleet, RouteSpec, ServerSpec};
use quorate_core::lane::Lane;
use quorate_core::outcome::{Failure, FailureKind, Operation, Outcome};
use quorate_core::policy::{Policy, Share};
use quorate_core::report::{Health, Report};
use quorate_core::verdict::{Accord, Scope, Verdicts};

/// A rule that Quorate can do without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ablation {
    /// R1: a witness's own trouble counts as a failure.
    Inconclusive,
    /// R2: a repeated report counts again.
    Sequence,
    /// R3: a blind witness is believed.
    Floor,
    /// R3: all lanes are one.
    Lanes,
    /// R5: one failure is enough.
    Sustain,
    /// R6: a server's word on itself is not heard.
    SelfReport,
    /// R7: one site is a quorum.
    Quorum,
    /// R7: any quorum is enough, however many others see it.
    Share,
    /// R7: every server is a site.
    Sites,
    /// R7, R8.2, R12: there are no countries.
    Countries,
    /// R8: who is accused by a quorum is unreachable, whoever accuses.
    Contest,
    /// R9: no server is a verifier.
    Verifier,
    /// R13: no chains.
    Chains,
    /// R14: silence lifts a verdict.
    Hold,
    /// R16: a route without a good entry point is empty.
    LastResort,
    /// R18: routes have no audience.
    Audience,
    /// R19: one country may empty a route.
    Spare,
}

/// A share of nothing: never missed.
const NOTHING: Share = Share::from_thousandths(0).expect("0 is a share");

/// Room for a changed report.
#[derive(Debug, Default)]
pub(super) struct Scratch(Option<Report>);

impl Ablation {
    /// All, in the order of the rules.
    pub const ALL: [Self; 17] = [
        Self::Inconclusive,
        Self::Sequence,
        Self::Floor,
        Self::Lanes,
        Self::Sustain,
        Self::SelfReport,
        Self::Quorum,
        Self::Share,
        Self::Sites,
        Self::Countries,
        Self::Contest,
        Self::Verifier,
        Self::Chains,
        Self::Hold,
        Self::LastResort,
        Self::Audience,
        Self::Spare,
    ];

    /// How it is called in the table: the rule that is missing, and what of it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inconclusive => "quorate-R1-inconclusive",
            Self::Sequence => "quorate-R2-sequence",
            Self::Floor => "quorate-R3-floor",
            Self::Lanes => "quorate-R3-lanes",
            Self::Sustain => "quorate-R5-sustain",
            Self::SelfReport => "quorate-R6-self-report",
            Self::Quorum => "quorate-R7-quorum",
            Self::Share => "quorate-R7-share",
            Self::Sites => "quorate-R7-sites",
            Self::Countries => "quorate-R7-countries",
            Self::Contest => "quorate-R8-contest",
            Self::Verifier => "quorate-R9-verifier",
            Self::Chains => "quorate-R13-chains",
            Self::Hold => "quorate-R14-hold",
            Self::LastResort => "quorate-R16-last-resort",
            Self::Audience => "quorate-R18-audience",
            Self::Spare => "quorate-R19-spare",
        }
    }

    /// The policy under which the rule does nothing. Not all of them would pass [`Policy::checked`]: that is the point.
    pub(super) fn policy(self, policy: &Policy) -> Policy {
        let policy = policy.clone();
        match self {
            Self::Floor => Policy { witness_floor: NOTHING, ..policy },
            Self::Sustain => Policy { sustain_rounds: 1, sustain_for: Duration::ZERO, ..policy },
            Self::Quorum => Policy { quorum: 1, ..policy },
            Self::Share => Policy { quorum_share: NOTHING, ..policy },
            _ => policy,
        }
    }

    /// The fleet in which the rule does nothing, if it is another one. It has the same ids, and so the same indices.
    pub(super) fn fleet(self, fleet: &Fleet) -> Option<Fleet> {
        let (mut servers, mut routes) = declared(fleet);
        match self {
            Self::Lanes => entry_points(&mut servers).for_each(|entry_point| entry_point.lane = Lane::Tcp4),
            Self::Sites => servers.iter_mut().for_each(|server| server.site = None),
            Self::Countries => servers.iter_mut().for_each(|server| server.country = None),
            Self::Verifier => servers.iter_mut().for_each(|server| server.verifier = false),
            Self::Chains => entry_points(&mut servers).for_each(|entry_point| entry_point.upstreams.clear()),
            Self::Audience => routes.iter_mut().for_each(|route| route.audience.clear()),
            _ => return None,
        }
        Some(Fleet::new(servers, routes).expect("to take names away from a fleet leaves it one"))
    }

    /// The report in which the rule has nothing to do.
    pub(super) fn report<'a>(self, report: &'a Report, scratch: &'a mut Scratch) -> &'a Report {
        if !matches!(self, Self::SelfReport | Self::Sequence | Self::Inconclusive) {
            return report;
        }
        let changed = scratch.0.get_or_insert_with(|| report.clone());
        changed.witness = report.witness;
        changed.observed_at = report.observed_at;
        changed.health = if self == Self::SelfReport { Health::Ok } else { report.health };
        changed.sequence.clone_from(&report.sequence);
        if self == Self::Sequence {
            changed.sequence = None;
        }
        changed.outcomes.clone_from(&report.outcomes);
        if self == Self::Inconclusive {
            changed.outcomes.iter_mut().for_each(|(_, outcome)| *outcome = conclusive(*outcome));
        }
        changed
    }

    /// The verdicts without the rule, if it is one of those that are taken away from them.
    pub(super) fn verdicts(self, verdicts: &Verdicts) -> Option<Verdicts> {
        let mut changed = verdicts.clone();
        match self {
            Self::Contest => {
                let contested = changed
                    .entry_points
                    .iter_mut()
                    .filter(|verdict| !verdict.down && matches!(verdict.accord, Accord::Contested | Accord::Explained));
                contested.for_each(|verdict| {
                    verdict.accord = Accord::Outside;
                    verdict.unreachable.insert(Scope::Fleet);
                });
            }
            Self::Spare => {
                let anywhere = changed.entry_points.iter_mut().filter(|verdict| !verdict.unreachable.is_empty());
                anywhere.for_each(|verdict| {
                    verdict.unreachable.insert(Scope::Fleet);
                });
            }
            _ => return None,
        }
        Some(changed)
    }
}

fn conclusive(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Inconclusive(_) => Outcome::Failed(Failure {
            operation: Operation::Connect,
            kind: FailureKind::Unknown,
            after: Duration::ZERO,
            bytes: 0,
        }),
        Outcome::Reached { .. } | Outcome::Failed(_) => outcome,
    }
}

fn entry_points(servers: &mut [ServerSpec]) -> impl Iterator<Item = &mut EntryPointSpec> {
    servers.iter_mut().flat_map(|server| &mut server.entry_points)
}

/// The fleet as it was declared.
fn declared(fleet: &Fleet) -> (Vec<ServerSpec>, Vec<RouteSpec>) {
    let id = |ix| fleet.server(ix).id.clone();
    let entry_point = |ix: &quorate_core::fleet::EntryIx| {
        let entry_point = fleet.entry_point(*ix);
        EntryPointSpec {
            id: entry_point.id.clone(),
            lane: entry_point.lane,
            address: entry_point.address.clone(),
            probe: entry_point.probe.clone(),
            upstreams: entry_point.upstreams.iter().copied().map(id).collect(),
            weight: entry_point.weight,
        }
    };
    let servers = fleet.servers().iter().map(|server| ServerSpec {
        id: server.id.clone(),
        country: server.country,
        site: Some(fleet.site(server.site).to_owned()),
        verifier: server.verifier,
        intent: server.intent,
        entry_points: server.entry_points.iter().map(entry_point).collect(),
    });
    let routes = fleet.routes().iter().map(|route| RouteSpec {
        id: route.id.clone(),
        entry_points: route.entry_points.iter().map(|ix| fleet.entry_point(*ix).id.clone()).collect(),
        audience: route.audience.clone(),
    });
    (servers.collect(), routes.collect())
}
