//! Islands and captions of every fleet and every history.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::history::{Op, Past, history, servers};
use crate::fleet::Intent;
use crate::islands::islands;
use crate::mesh::{self, Mesh, Says};
use crate::pattern::{CAPTIONS_MAX, Kind, captions};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Two or more or none, each of at least two that are there, and no bridge between any two of them.
    #[test]
    fn islands_are_apart(drawn in servers(), ops in history()) {
        let mut past = Past::new(&drawn, true);
        for op in &ops {
            past.live(core::slice::from_ref(op));
            if !matches!(op, Op::Evaluate) {
                continue;
            }
            let verdicts = past.evaluate();
            let (mesh, found) = (Mesh::read(&past.fleet, &verdicts), islands(&past.fleet, &verdicts));
            prop_assert_ne!(found.len(), 1);
            let mut seen = BTreeSet::new();
            for ix in found.iter().flatten() {
                prop_assert!(seen.insert(*ix), "{ix:?} is on two islands");
                let silent = verdicts.servers[ix.at()].silent;
                prop_assert!(!silent && past.fleet.server(*ix).intent != Intent::Disabled);
            }
            for (nth, island) in found.iter().enumerate() {
                prop_assert!(island.len() >= 2);
                for other in &found[nth + 1..] {
                    let between = || island.iter().flat_map(|a| other.iter().map(move |b| (*a, *b)));
                    let says = |a, b| [mesh.says(a, b), mesh.says(b, a)];
                    prop_assert!(between().all(|(a, b)| !says(a, b).contains(&Says::Sees) || says(a, b).contains(&Says::Lost)));
                    prop_assert!(between().any(|(a, b)| says(a, b).contains(&Says::Lost)), "somebody lost somebody");
                }
            }
        }
    }

    /// A wall between two groups makes two islands of them as soon as the last successes are stale; one good round ends
    /// them.
    #[test]
    fn a_wall_makes_two_islands_and_its_fall_ends_them(drawn in servers(), side in any::<u16>(), rounds in 5..9_usize) {
        let mut past = Past::new(&drawn, false);
        let is_on = |n: usize| side >> n & 1 == 1;
        let there = |past: &Past, on: bool| past.fleet.server_ixs().filter(|ix| {
            past.fleet.server(*ix).intent != Intent::Disabled && is_on(ix.at()) == on
        }).collect::<Vec<_>>();
        past.round(&[]);
        for _ in 0..rounds {
            past.round_with_a_wall(side);
            past.evaluate();
        }
        let mut sides = [there(&past, true), there(&past, false)];
        sides.sort_by_key(|side| (core::cmp::Reverse(side.len()), side.first().copied()));
        let verdicts = past.evaluate();
        let found = islands(&past.fleet, &verdicts);
        if sides.iter().all(|side| side.len() >= 2) {
            prop_assert_eq!(found, sides.to_vec());
        } else {
            prop_assert!(found.is_empty());
        }
        past.round(&[]);
        let verdicts = past.evaluate();
        prop_assert!(islands(&past.fleet, &verdicts).is_empty());
        prop_assert!(captions(&past.fleet, &verdicts).is_empty());
    }

    /// Every failing cell is told once: in the caption that claims it, or in the number of those left out.
    #[test]
    fn captions_tell_every_failing_cell_once(drawn in servers(), ops in history()) {
        let mut past = Past::new(&drawn, true);
        for op in &ops {
            past.live(core::slice::from_ref(op));
            let verdicts = past.evaluate();
            let cells: usize = past
                .fleet
                .entry_ixs()
                .map(|ix| mesh::failing(&past.fleet, ix, &verdicts.entry_points[ix.at()]).len())
                .sum();
            let told = captions(&past.fleet, &verdicts);
            prop_assert_eq!(told.iter().map(|caption| caption.cells).sum::<usize>(), cells);
            prop_assert!(told.len() <= CAPTIONS_MAX + 1);
            for caption in told.iter().filter(|caption| caption.kind != Kind::More) {
                prop_assert!(!caption.text.is_empty() && !caption.text.ends_with('.'));
                let within = caption.parts.iter().flat_map(|part| {
                    part.targets.iter().flat_map(|target| part.witnesses.iter().map(move |witness| (*witness, *target)))
                });
                let failing: BTreeSet<_> = within
                    .filter(|(witness, target)| {
                        let verdict = &verdicts.entry_points[target.at()];
                        mesh::failing(&past.fleet, *target, verdict).contains(witness)
                    })
                    .collect();
                prop_assert!(failing.len() >= caption.cells, "{caption:?} shows where its cells are");
            }
            prop_assert_eq!(told, captions(&past.fleet, &verdicts));
        }
    }
}
