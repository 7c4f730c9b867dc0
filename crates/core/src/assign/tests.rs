#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};

use proptest::prelude::*;

use super::*;
use crate::fleet::{EntryPointSpec, ServerSpec};
use crate::lane::Lane;

#[test]
fn everyone_probes_everyone_up_to_31_servers() {
    let assignment = assigned(&fleet(31), &policy());
    assert_eq!(assignment.witnesses_per_target, None);
    assert!(loads(&fleet(31), &assignment).iter().all(|load| *load == 30));
    let assignment = assigned(&fleet(32), &policy());
    assert_eq!(assignment.witnesses_per_target, Some(30));
    assert!(loads(&fleet(32), &assignment).iter().all(|load| *load <= 30));
}

#[test]
fn capacity_counts_entry_points() {
    let two_each = |count| Fleet::new((0..count).map(|at| with_entry_points(server(at), 2)).collect(), vec![]).unwrap();
    assert_eq!(assigned(&two_each(16), &policy()).witnesses_per_target, None);
    let thin = assigned(&two_each(17), &policy());
    assert_eq!(thin.witnesses_per_target, Some(15));
    assert!(loads(&two_each(17), &thin).iter().all(|load| *load <= 30));
}

#[test]
fn the_longer_the_interval_the_more_fit() {
    let slow = AssignPolicy { interval: Duration::from_secs(80), ..policy() };
    assert_eq!(assigned(&fleet(41), &slow).witnesses_per_target, None);
    assert_eq!(assigned(&fleet(42), &slow).witnesses_per_target, Some(40));
}

#[test]
fn a_fleet_of_nobody_or_one_has_nothing_to_probe() {
    assigned(&Fleet::default(), &policy());
    for all in [false, true] {
        let alone = assigned(&fleet(1), &AssignPolicy { all, ..policy() });
        assert!(alone.targets(ServerIx(0)).is_empty());
    }
    let busy = Fleet::new(vec![with_entry_points(server(0), 100), server(1)], vec![]).unwrap();
    let assignment = assigned(&busy, &AssignPolicy { all: true, ..policy() });
    assert_eq!(loads(&busy, &assignment), [1, 100]);
}

#[test]
fn disabled_servers_neither_probe_nor_are_probed_and_drained_ones_do_both() {
    for (count, disabled) in [(6, 2), (80, 17)] {
        let mut servers: Vec<ServerSpec> = (0..count).map(server).collect();
        servers[disabled].intent = Intent::Disabled;
        servers[disabled + 1].intent = Intent::Drained;
        let fleet = Fleet::new(servers, vec![]).unwrap();
        let assignment = assigned(&fleet, &policy());
        let (off, drained) = (ServerIx(disabled as u32), ServerIx(disabled as u32 + 1));
        assert!(assignment.targets(off).is_empty());
        assert!(!assignment.targets(drained).is_empty());
        assert!(pairs(&fleet, &assignment).iter().all(|(_, target)| target != &fleet.server(off).id));
        assert!(pairs(&fleet, &assignment).iter().any(|(_, target)| target == &fleet.server(drained).id));
    }
}

#[test]
fn rings_alone_give_each_of_200_witnesses_its_five_targets() {
    let assignment = assigned(&fleet(200), &AssignPolicy { witnesses_per_target: Some(5), ..policy() });
    let loads = loads(&fleet(200), &assignment);
    assert!(loads.iter().all(|load| (4..=6).contains(load)), "{loads:?}");
    assert!(witness_counts(&fleet(200), &assignment).iter().all(|count| *count == 5));
}

#[test]
fn all_makes_the_mesh_and_stretches_the_spans_that_nobody_set() {
    let fleet = fleet(101);
    let stretched = AssignPolicy { all: true, hold_for: Span::Set(Duration::from_mins(30)), ..policy() };
    let assignment = assigned(&fleet, &stretched);
    assert!(loads(&fleet, &assignment).iter().all(|load| *load == 100));
    assert_eq!(assignment.interval, Duration::from_secs(200));
    assert_eq!(assignment.stale_after, Duration::from_mins(10));
    assert_eq!(assignment.sustain_for, Duration::from_mins(5));
    assert_eq!(assignment.hold_for, Duration::from_mins(30));
    assert!(assignment.is_stretched(&stretched));
}

#[test]
fn nothing_stretches_where_the_round_fits() {
    let assignment = assigned(&fleet(300), &policy());
    assert!(!assignment.is_stretched(&policy()));
    assert_eq!((assignment.interval, assignment.stale_after), (Duration::from_mins(1), Duration::from_mins(3)));
}

#[test]
fn a_round_longer_than_half_of_stale_after_is_refused() {
    let set = |stale_after| AssignPolicy { all: true, stale_after: Span::Set(stale_after), ..policy() };
    assigned(&fleet(101), &set(Duration::from_secs(400)));
    let refused = assign(&fleet(101), &set(Duration::from_secs(399))).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "a round takes 200s (100 probes, 2s apart), more than half of stale_after 399s: make stale_after at least 400s, \
         or let fewer witnesses probe each target"
    );
    let thick = AssignPolicy { all: false, witnesses_per_target: Some(60), ..set(Duration::from_mins(3)) };
    assert!(matches!(assign(&fleet(200), &thick), Err(AssignError::RoundTooLong { probes: 60, .. })));
}

#[test]
fn a_policy_without_pace_or_witnesses_is_refused() {
    for min_spacing in [Duration::ZERO, Duration::from_secs(61)] {
        let refused = assign(&fleet(3), &AssignPolicy { min_spacing, ..policy() });
        assert!(matches!(refused, Err(AssignError::Spacing { .. })));
    }
    let none = AssignPolicy { witnesses_per_target: Some(0), ..policy() };
    assert_eq!(assign(&fleet(3), &none), Err(AssignError::NoWitnesses));
}

#[test]
fn every_target_has_a_verifier_while_they_have_room() {
    let mut servers: Vec<ServerSpec> = (0..150).map(server).collect();
    for at in 0..12 {
        servers[at * 10].verifier = true;
    }
    let fleet = Fleet::new(servers, vec![]).unwrap();
    let pairs = pairs(&fleet, &assigned(&fleet, &policy()));
    let has = |target: &str| pairs.iter().any(|(witness, other)| other == target && is_verifier(&fleet, witness));
    assert!(fleet.servers().iter().all(|server| has(&server.id)));
}

#[test]
fn countries_with_enough_sites_give_quorum_and_one_to_each_target() {
    let countries = ["DE", "NL", "FI", "PL"];
    let fleet = Fleet::new((0..120).map(|at| in_country(server(at), countries[at % 4])).collect(), vec![]).unwrap();
    let pairs = pairs(&fleet, &assigned(&fleet, &policy()));
    for target in fleet.servers() {
        for country in countries {
            let from =
                pairs.iter().filter(|(witness, other)| other == &target.id && country_of(&fleet, witness) == country);
            assert!(from.count() >= 3, "{} from {country}", target.id);
        }
    }
}

#[test]
fn a_small_country_agrees_on_the_targets_that_it_takes_on() {
    let country = |at| if at < 3 { "NL" } else { "DE" };
    let fleet = Fleet::new((0..200).map(|at| in_country(server(at), country(at))).collect(), vec![]).unwrap();
    let pairs = pairs(&fleet, &assigned(&fleet, &policy()));
    let from_nl = |target: &str| {
        pairs.iter().filter(|(witness, other)| other == target && country_of(&fleet, witness) == "NL").count()
    };
    let whole = fleet.servers().iter().filter(|target| from_nl(&target.id) == 3).count();
    // Three servers with room for 30 each can take on 30 together.
    assert!((27..=30).contains(&whole), "{whole}");
}

#[test]
fn witnesses_of_a_target_stand_at_different_sites_where_there_are_enough() {
    let at_site = |at: usize| ServerSpec { site: Some(format!("site{}", at % 20)), ..server(at) };
    let fleet = Fleet::new((0..200).map(at_site).collect(), vec![]).unwrap();
    let five = AssignPolicy { witnesses_per_target: Some(5), ..policy() };
    let assignment = assigned(&fleet, &five);
    let pairs = pairs(&fleet, &assignment);
    for target in fleet.servers() {
        let sites: BTreeSet<SiteIxOf> =
            pairs.iter().filter(|(_, other)| other == &target.id).map(|(w, _)| site_of(&fleet, w)).collect();
        assert!(sites.len() == 5 && !sites.contains(&target.site.0), "{sites:?}");
    }
    assert!(loads(&fleet, &assignment).iter().all(|load| (4..=6).contains(load)));
}

#[test]
fn six_hundred_servers_share_out_evenly() {
    let countries = ["DE", "NL", "FI", "PL", "SE", "FR", "RU"];
    let servers = (0..600).map(|at| in_country(server(at), countries[at % 7]));
    let fleet = Fleet::new(servers.collect(), vec![]).unwrap();
    let assignment = assigned(&fleet, &policy());
    assert!(loads(&fleet, &assignment).iter().all(|load| (10..=30).contains(load)));
    assert!(witness_counts(&fleet, &assignment).iter().all(|count| *count >= 20));
}

#[test]
fn a_server_that_joins_a_fleet_of_200_moves_at_most_five_pairs_in_a_hundred() {
    let countries = ["DE", "NL", "FI", "PL", "SE", "FR"];
    let one = |at: usize| {
        let spec = in_country(server(at), countries[at * 7_919 % 6]);
        ServerSpec { verifier: at % 20 == 3, site: at.is_multiple_of(5).then(|| format!("site{}", at % 50)), ..spec }
    };
    let before = Fleet::new((0..200).map(one).collect(), vec![]).unwrap();
    for (k, pairs) in [(Some(5), 1_000), (Some(9), 1_800), (None, 6_000)] {
        let policy = AssignPolicy { witnesses_per_target: k, ..policy() };
        for newcomer in 2_000..2_004 {
            let after = Fleet::new((0..200).chain([newcomer]).map(one).collect(), vec![]).unwrap();
            let moved = moved(&before, &after, &policy);
            assert!(moved <= pairs / 20, "{moved} of {pairs}");
        }
    }
}

#[test]
fn every_witness_has_targets_to_judge_itself_by_however_many_verifiers_there_are() {
    for verifiers in [1, 100, 200] {
        let spec = |at| ServerSpec { verifier: at < verifiers, ..in_country(server(at), "NL") };
        let fleet = Fleet::new((0..200).map(spec).collect(), vec![]).unwrap();
        for k in [Some(5), Some(6), None] {
            let assignment = assigned(&fleet, &AssignPolicy { witnesses_per_target: k, ..policy() });
            assert!(loads(&fleet, &assignment).iter().all(|load| *load >= 2), "{verifiers} {k:?}");
        }
    }
}

/// Who is there: a country, whether it is a verifier, how many entry points, its site, its intent.
type Face = (Option<u8>, bool, u8, Option<u8>, u8);

fn faces() -> impl Strategy<Value = Vec<Face>> {
    let face = (
        proptest::option::of(0u8..6),
        proptest::bool::weighted(0.05),
        prop_oneof![5 => Just(1u8), 1 => 2u8..4],
        proptest::option::weighted(0.2, 0u8..10),
        prop_oneof![8 => Just(0u8), 1 => 1u8..3],
    );
    proptest::collection::vec(face, 0..160)
}

fn faced(at: usize, face: Face) -> ServerSpec {
    let (country, verifier, entry_points, site, intent) = face;
    let mut spec = with_entry_points(server(at), usize::from(entry_points));
    spec.country = country.map(|letter| format!("A{}", char::from(b'A' + letter)).parse().unwrap());
    spec.verifier = verifier;
    spec.site = site.map(|site| format!("site{site}"));
    spec.intent = [Intent::Active, Intent::Drained, Intent::Disabled][usize::from(intent)];
    spec
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn an_assignment_keeps_its_promises(faces in faces(), k in proptest::option::of(1u32..12)) {
        let servers = faces.iter().enumerate().map(|(at, face)| faced(at, *face)).collect();
        let fleet = Fleet::new(servers, vec![]).unwrap();
        let policy = AssignPolicy { witnesses_per_target: k, ..policy() };
        let assignment = assigned(&fleet, &policy);
        for witness in fleet.server_ixs() {
            let targets = assignment.targets(witness);
            prop_assert!(targets.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(targets.len() <= 30);
            let on = fleet.server(witness).intent != Intent::Disabled;
            prop_assert!(on || targets.is_empty());
            for ix in targets {
                prop_assert!(fleet.owner(*ix).intent != Intent::Disabled);
                prop_assert!(fleet.entry_point(*ix).server != witness);
                prop_assert!(fleet.owner(*ix).entry_points.iter().all(|other| targets.contains(other)));
            }
        }
        if let Some(k) = assignment.witnesses_per_target {
            let counts = witness_counts(&fleet, &assignment);
            prop_assert!(counts.iter().all(|count| *count <= k as usize));
        }
        prop_assert_eq!(assigned(&fleet, &policy), assignment);
    }

    #[test]
    fn a_server_that_joins_moves_only_its_own_share_of_the_rings(
        count in 40usize..160,
        k in 2u32..10,
        newcomer in 1_000usize..100_000,
    ) {
        let policy = AssignPolicy { witnesses_per_target: Some(k), ..policy() };
        let before = fleet(count);
        let after = Fleet::new((0..count).chain([newcomer]).map(server).collect(), vec![]).unwrap();
        let moved = moved(&before, &after, &policy);
        // One pair gives way on each ring; the rest are exchanges of places that met another neighbour, which are many
        // only where a target's witnesses are a good part of the fleet. Half of all newcomers move at most two a ring.
        prop_assert!(moved <= 8 * k as usize, "{} pairs of {} moved", moved, count * k as usize);
    }

    #[test]
    fn a_server_that_joins_moves_a_small_share_of_a_mixed_fleet(mut faces in faces(), face in faces()) {
        faces.retain(|face| face.2 == 1);
        faces.extend(core::iter::repeat_n((Some(1), false, 1, None, 0), 60));
        let servers = |extra: Option<Face>| -> Vec<ServerSpec> {
            faces.iter().copied().chain(extra).enumerate().map(|(at, face)| faced(at, face)).collect()
        };
        let policy = AssignPolicy { witnesses_per_target: Some(9), ..policy() };
        let newcomer = face.first().copied().map_or((Some(1), false, 1, None, 0), |face| (face.0, false, 1, face.3, 0));
        let before = Fleet::new(servers(None), vec![]).unwrap();
        let after = Fleet::new(servers(Some(newcomer)), vec![]).unwrap();
        let moved = moved(&before, &after, &policy);
        // Twice the pairs: one gone, one come. A newcomer may bring its country over the quorum or a verifier's last room.
        prop_assert!(moved <= before.servers().len() * 9 / 2, "{} of {}", moved, before.servers().len() * 9);
    }
}

// Helpers.

type SiteIxOf = u32;

fn policy() -> AssignPolicy {
    AssignPolicy::of(&Policy::default())
}

fn assigned(fleet: &Fleet, policy: &AssignPolicy) -> Assignment {
    assign(fleet, policy).unwrap()
}

fn fleet(count: usize) -> Fleet {
    Fleet::new((0..count).map(server).collect(), vec![]).unwrap()
}

fn server(at: usize) -> ServerSpec {
    let spec = ServerSpec {
        id: format!("s{at:05}"),
        country: None,
        site: None,
        verifier: false,
        intent: Intent::Active,
        entry_points: vec![],
    };
    with_entry_points(spec, 1)
}

fn with_entry_points(mut spec: ServerSpec, count: usize) -> ServerSpec {
    let entry_point = |number| EntryPointSpec {
        id: format!("{}/{number}", spec.id),
        lane: Lane::Tcp4,
        address: None,
        probe: None,
        upstreams: vec![],
        weight: 1,
    };
    spec.entry_points = (0..count).map(entry_point).collect();
    spec
}

fn in_country(mut spec: ServerSpec, country: &str) -> ServerSpec {
    spec.country = Some(country.parse().unwrap());
    spec
}

fn country_of(fleet: &Fleet, id: &str) -> String {
    fleet.server(fleet.find_server(id).unwrap()).country.unwrap().to_string()
}

fn is_verifier(fleet: &Fleet, id: &str) -> bool {
    fleet.server(fleet.find_server(id).unwrap()).verifier
}

fn site_of(fleet: &Fleet, id: &str) -> SiteIxOf {
    fleet.server(fleet.find_server(id).unwrap()).site.0
}

/// Probes of each witness.
fn loads(fleet: &Fleet, assignment: &Assignment) -> Vec<usize> {
    fleet.server_ixs().map(|witness| assignment.targets(witness).len()).collect()
}

/// (witness, target) by id.
fn pairs(fleet: &Fleet, assignment: &Assignment) -> BTreeSet<(String, String)> {
    let of = |witness: ServerIx| {
        let targets = assignment.targets(witness).iter();
        targets.map(move |ix| (fleet.server(witness).id.clone(), fleet.owner(*ix).id.clone()))
    };
    fleet.server_ixs().flat_map(of).collect()
}

/// Witnesses of each target.
fn witness_counts(fleet: &Fleet, assignment: &Assignment) -> Vec<usize> {
    let mut counts = vec![0; fleet.servers().len()];
    for (_, target) in pairs(fleet, assignment) {
        counts[fleet.find_server(&target).unwrap().at()] += 1;
    }
    counts
}

/// Pairs between servers of both fleets that only one of them has.
fn moved(before: &Fleet, after: &Fleet, policy: &AssignPolicy) -> usize {
    let (was, is) = (pairs(before, &assigned(before, policy)), pairs(after, &assigned(after, policy)));
    let stayed = |id: &String| before.find_server(id).is_some() && after.find_server(id).is_some();
    was.symmetric_difference(&is).filter(|(witness, target)| stayed(witness) && stayed(target)).count()
}
