//! What is true whatever a driver, a resolver and the edges do, in whatever order.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;
use core::net::IpAddr;
use core::time::Duration;

use proptest::prelude::*;

use super::river::{edge, took, wall};
use crate::edge::{CANDIDATES_MAX, Chooser, Duty, Ended, Memory, Move, MoveReason, Resolution, Times, Timing};
use crate::time::Moment;

/// Something that a driver tells, called for or not.
#[derive(Debug, Clone)]
enum Op {
    Wait {
        ms: u64,
    },
    Resolve {
        set: u16,
    },
    NoResolver,
    /// The latest duty is done; one that measures finds this.
    Answer {
        ms: Vec<Option<u64>>,
    },
    Unasked {
        full: bool,
        ms: Vec<Option<u64>>,
    },
    Open {
        pick: usize,
    },
    OpenAnywhere {
        number: u8,
    },
    End {
        planned: bool,
    },
    Restart,
}

/// Mostly the same few answers, so that what was found twice happens.
fn answers() -> impl Strategy<Value = Vec<Option<u64>>> {
    prop_oneof![
        4 => Just(vec![Some(90), Some(20), Some(60), None, Some(140)]),
        2 => Just(vec![None, Some(90), Some(15)]),
        3 => prop::collection::vec(prop::option::weighted(0.8, 1_u64..150), 8),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        24 => (150_000_u64..600_000).prop_map(|ms| Op::Wait { ms }),
        2 => (0_u64..30_000_000).prop_map(|ms| Op::Wait { ms }),
        32 => answers().prop_map(|ms| Op::Answer { ms }),
        1 => (0_u16..1024).prop_map(|set| Op::Resolve { set }),
        1 => Just(Op::Resolve { set: 0b1_1111 }),
        1 => Just(Op::NoResolver),
        1 => (any::<bool>(), answers()).prop_map(|(full, ms)| Op::Unasked { full, ms }),
        3 => (0_usize..4).prop_map(|pick| Op::Open { pick }),
        1 => (0_u8..12).prop_map(|number| Op::OpenAnywhere { number }),
        1 => any::<bool>().prop_map(|planned| Op::End { planned }),
        1 => Just(Op::Restart),
    ]
}

/// A driver that does as it likes, and remembers what it was told and what it told.
struct Careless {
    chooser: Chooser,
    now: Moment,
    last_set: Vec<IpAddr>,
    last_answer: BTreeMap<IpAddr, Option<Times>>,
    session: Option<IpAddr>,
    asked: Vec<Duty>,
    moves: Vec<(Moment, Move)>,
    /// A move was handed out and no session has come of it.
    moving: bool,
}

impl Careless {
    fn new(seed: u64) -> Self {
        let chooser = Chooser::new(&Memory::default(), Timing::default(), seed, Moment::ZERO, wall(Moment::ZERO));
        Self {
            chooser,
            now: Moment::ZERO,
            last_set: Vec::new(),
            last_answer: BTreeMap::new(),
            session: None,
            asked: Vec::new(),
            moves: Vec::new(),
            moving: false,
        }
    }

    fn resolve(&mut self, addresses: Vec<IpAddr>) {
        if !addresses.is_empty() {
            self.last_set.clone_from(&addresses);
        }
        self.chooser.handle_resolved(Resolution::Addresses(addresses), self.now);
    }

    fn open(&mut self, address: IpAddr) {
        self.chooser.handle_opened(address, self.now);
        (self.session, self.moving) = (Some(address), false);
        self.asked.clear();
    }

    fn end(&mut self, ended: Ended) {
        self.chooser.handle_ended(ended, self.now);
        self.session = None;
        self.asked.clear();
    }

    fn tell(&mut self, addresses: &[IpAddr], ms: &[Option<u64>], full: bool) {
        let results: Vec<_> =
            addresses.iter().zip(ms.iter().cycle()).map(|(address, ms)| (*address, ms.map(took))).collect();
        self.last_answer.extend(results.iter().copied());
        if full {
            self.chooser.handle_measured(&results, self.now);
        } else {
            self.chooser.handle_probed(&results, self.now);
        }
    }

    fn live(&mut self, op: &Op) {
        match op {
            Op::Wait { ms } => {
                self.now = self.now.after(Duration::from_millis(*ms));
                self.chooser.handle_tick(self.now);
            }
            Op::Resolve { set } => self.resolve((0..10).filter(|bit| set >> bit & 1 == 1).map(edge).collect()),
            Op::NoResolver => self.chooser.handle_resolved(Resolution::Failed, self.now),
            Op::Answer { ms } => match self.asked.pop() {
                Some(Duty::Measure { addresses }) => self.tell(&addresses, ms, true),
                Some(Duty::Probe { addresses }) => self.tell(&addresses, ms, false),
                Some(Duty::Move(_)) => self.end(Ended::Planned),
                Some(Duty::Resolve) => self.resolve(self.last_set.clone()),
                None => {}
            },
            Op::Unasked { full, ms } => self.tell(&(0..12).map(edge).collect::<Vec<_>>(), ms, *full),
            Op::Open { pick } => {
                let order = self.chooser.connect_order().addresses();
                if let Some(address) = order.get(pick % order.len().max(1)) {
                    self.open(*address);
                }
            }
            Op::OpenAnywhere { number } => self.open(edge(*number)),
            Op::End { planned } => self.end(if *planned { Ended::Planned } else { Ended::Error }),
            Op::Restart => {
                let idle = self.session.is_none() && !self.moving;
                let before = self.chooser.connect_order();
                let memory = self.chooser.memory(self.now, wall(self.now));
                self.chooser = Chooser::new(&memory, Timing::default(), 5, self.now, wall(self.now));
                (self.session, self.moving) = (None, false);
                self.asked.clear();
                self.moves.clear();
                assert!(!idle || self.chooser.connect_order() == before, "nothing of the order is lost");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_the_rules_hold(seed in any::<u64>(), ops in prop::collection::vec(op(), 1..120)) {
        let dwell = Timing::default().dwell;
        let mut driver = Careless::new(seed);
        driver.resolve((0..5).map(edge).collect());
        driver.open(edge(0));
        for op in &ops {
            driver.live(op);
            while let Some(duty) = driver.chooser.poll_duty() {
                prop_assert!(driver.session.is_some(), "nothing is asked for without a session");
                match &duty {
                    Duty::Measure { addresses } | Duty::Probe { addresses } => {
                        prop_assert!(driver.last_set.len() >= 2, "there is a choice");
                        prop_assert!(!addresses.is_empty() && addresses.len() <= CANDIDATES_MAX);
                        prop_assert!(addresses.iter().all(|address| driver.last_set.contains(address)));
                        let each_once: BTreeSet<_> = addresses.iter().collect();
                        prop_assert_eq!(each_once.len(), addresses.len());
                    }
                    Duty::Move(to) => {
                        prop_assert!(driver.last_set.contains(&to.to), "it is in DNS");
                        prop_assert!(Some(to.to) != driver.session, "it is elsewhere");
                        if to.reason == MoveReason::Removed {
                            prop_assert!(!driver.last_set.contains(&driver.session.unwrap()));
                        } else {
                            prop_assert!(driver.last_answer[&to.to].is_some(), "it answered when it was last tried");
                            let last = driver.moves.last();
                            prop_assert!(last.is_none_or(|(at, _)| driver.now.since(*at) >= dwell));
                        }
                        driver.moves.push((driver.now, *to));
                        driver.moving = true;
                    }
                    Duty::Resolve => {}
                }
                driver.asked.push(duty);
            }
            prop_assert!(driver.chooser.poll_timeout().is_none_or(|at| at > driver.now), "no busy loop");
            let mut order = driver.chooser.connect_order().addresses();
            order.sort_unstable();
            prop_assert!(order.is_empty() || order == driver.last_set, "each of the set, once");
            prop_assert!(driver.chooser.memory(driver.now, wall(driver.now)).ranking.len() <= 40, "bounded");
        }
    }

    #[test]
    fn no_failed_probe_ever_ends_a_session(seed in any::<u64>(), ops in prop::collection::vec(op(), 1..120)) {
        let mut driver = Careless::new(seed);
        driver.resolve((0..10).map(edge).collect());
        driver.open(edge(0));
        driver.tell(&(0..8).map(edge).collect::<Vec<_>>(), &[Some(30), Some(90), Some(10)], true);
        for op in &ops {
            match op {
                Op::Answer { ms } => driver.live(&Op::Answer { ms: ms.iter().map(|_| None).collect() }),
                Op::Wait { .. } | Op::NoResolver | Op::Open { .. } | Op::End { .. } => driver.live(op),
                Op::Resolve { .. } | Op::Unasked { .. } | Op::OpenAnywhere { .. } | Op::Restart => {}
            }
            while let Some(duty) = driver.chooser.poll_duty() {
                prop_assert!(!matches!(duty, Duty::Move(_)), "{duty:?}");
                driver.asked.push(duty);
            }
        }
    }
}
