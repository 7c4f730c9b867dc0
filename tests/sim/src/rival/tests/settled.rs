//! A rule that calls its findings settled would find the same again.

use std::sync::Arc;

use quorate_core::fleet::{Fleet, ServerIx};
use quorate_core::report::{Health, Report};
use quorate_core::time::Moment;

use super::{Look, Play, ROUND, fleet, setting, well};
use crate::rival::frame::{Found, Rival, Rule};
use crate::rival::mesh::{Mesh, Moves};
use crate::rival::{any_witness, ceph, cloudflare, maddash, majority, rapid, route53};
use crate::tape::{Setting, Step};

/// A rule that is asked every time.
struct Restless<R>(R);

impl<R: Rule> Rule for Restless<R> {
    fn hear(&mut self, mesh: &Mesh, report: &Report) {
        self.0.hear(mesh, report);
    }

    fn follow(&mut self, new: &Mesh, moves: &Moves, at: Moment) {
        self.0.follow(new, moves, at);
    }

    fn resume(&mut self, at: Moment) {
        self.0.resume(at);
    }

    fn is_settled(&self, _mesh: &Mesh, _at: Moment) -> bool {
        false
    }

    fn judge(&mut self, mesh: &Mesh, at: Moment, found: &mut Found) {
        self.0.judge(mesh, at, found);
    }
}

/// Numbers that look random, from a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// Plays the same hours to both: servers that die, witnesses that are blind or silent, losses, and findings asked for often.
fn assert_same<R: Rule + 'static>(name: &'static str, rule: impl Fn(&Setting) -> R) {
    let fleet: Arc<Fleet> = fleet(14, |number, server| {
        server.country = Some(["AA", "BB", "CC"][number % 3].parse().expect("two capitals"));
    });
    let given = setting(&fleet);
    for seed in 0..6 {
        let mut settled = Play::with(Box::new(Rival::new(name, &given, rule(&given))), &fleet);
        let mut restless = Play::with(Box::new(Rival::new(name, &given, Restless(rule(&given)))), &fleet);
        let mut numbers = Numbers(seed);
        let (mut dead, mut blind, mut silent) = (vec![0; 14], vec![0; 14], vec![0; 14]);
        for second in (0..7200).step_by(4) {
            let at = Moment::from_ms(1000 * second);
            for until in [&mut dead, &mut blind, &mut silent] {
                if numbers.below(150) == 0 {
                    until[numbers.below(14) as usize] = second + numbers.below(1200);
                }
            }
            for witness in (0..14_usize).filter(|witness| (second / 4 + *witness as u64).is_multiple_of(15)) {
                if silent[witness] > second {
                    continue;
                }
                let looks = |_, target: usize| {
                    let is_lost = dead[target] > second || blind[witness] > second;
                    if is_lost { Look::Down } else { Look::Up }
                };
                let health = if dead[witness] > second && seed % 2 == 0 { Health::Down } else { Health::Ok };
                settled.round = second;
                let mut report = settled.report(ServerIx(witness as u32), health, &looks);
                report.observed_at = at;
                if numbers.below(20) == 0 {
                    report.outcomes.pop();
                }
                for play in [&mut settled, &mut restless] {
                    play.detector.take(at, &Step::Report(report.clone()));
                }
            }
            for play in [&mut settled, &mut restless] {
                play.detector.take(at, &Step::Judge);
            }
            assert_eq!(settled.findings(), restless.findings(), "{name}, seed {seed}, second {second}");
        }
    }
}

#[test]
fn a_health_checker_s_findings_hold_until_a_word_changes_or_grows_old() {
    assert_same("majority", |setting| majority::Majority::new(setting, None));
    assert_same("any witness", |setting| any_witness::AnyWitness::new(setting, None));
    assert_same("route53", |setting| route53::Route53::new(setting, None));
    assert_same("cloudflare", |setting| cloudflare::Cloudflare::new(setting, None));
    assert_same("maddash", |setting| maddash::Maddash::new(setting, None));
}

#[test]
fn a_monitor_s_findings_hold_while_nothing_is_reported() {
    assert_same("ceph", |setting| ceph::Ceph::new(setting, None));
}

#[test]
fn a_membership_holds_while_no_edge_fails() {
    assert_same("rapid", |setting| rapid::Rapid::new(setting, None));
}

#[test]
fn a_server_that_is_never_heard_is_waited_for_from_the_beginning() {
    let fleet = super::plain(5);
    let given = setting(&fleet);
    let mut play = Play::with(Box::new(Rival::new("ceph", &given, ceph::Ceph::new(&given, None))), &fleet);
    let speaks = |server: usize| (server != 0).then_some(Health::Ok);
    let mut rounds = (0..160).map(|_| play.round_of(speaks, well));
    assert_eq!(rounds.position(|removed| removed == [0]), Some(151), "{ROUND:?} a round, from the first on");
}
