//! What is true of every fleet and every history (the invariants of ARCHITECTURE.md that core can prove).

#![allow(clippy::unwrap_used, reason = "a test that cannot go on shall stop")]

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::time::Duration;

use proptest::prelude::*;

use self::history::{Op, Past, fleet_of, history, servers, specs_of};
use crate::balance;
use crate::evaluate;
use crate::fleet::{EntryIx, EntryPointSpec, Fleet, Intent, ServerIx, ServerSpec};
use crate::lane::Lane;
use crate::streak::Pair;
use crate::tests::timeline::{FAILED, INCONCLUSIVE};
use crate::time::Moment;
use crate::verdict::{Accord, EntryVerdict, State, Status, Verdicts};

mod history;
mod mesh;

/// Accusers and holders of an entry point.
fn against(verdict: &EntryVerdict) -> BTreeSet<ServerIx> {
    verdict.accusers.iter().map(|accuser| accuser.witness).chain(verdict.held.iter().copied()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

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

    /// Invariant 3, second half. Whether anybody knocked, and whether a pair is broken both ways, is said of void votes too,
    /// and is not compared.
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
                verdict.knocked = false;
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
            for (witness, pair) in past.ledger.column(ix) {
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

/// Whether an entry point forwards to disabled servers alone, at the end of every chain.
fn leads_nowhere(fleet: &Fleet, ix: EntryIx) -> bool {
    let upstreams = &fleet.entry_point(ix).upstreams;
    let dead = |to: &ServerIx| {
        let server = fleet.server(*to);
        server.intent == Intent::Disabled || server.entry_points.iter().all(|own| leads_nowhere(fleet, *own))
    };
    fleet.owner(ix).intent != Intent::Disabled && !upstreams.is_empty() && upstreams.iter().all(dead)
}
