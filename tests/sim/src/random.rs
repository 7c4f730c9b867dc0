//! Random worlds: a small fleet and a list of troubles from a seed, run under watch; and how a list that breaks an invariant
//! is made short enough to be read.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use quorate_core::time::Moment;
use serde::{Deserialize, Serialize};

use crate::dice::Dice;
use crate::invariant::{Breach, Rigour, Watch};
use crate::tape::{Step, Tape as _, Timed};
use crate::world::World;
use crate::world::blueprint::{Blueprint, Door, Host, Judging, Offer};
use crate::world::noise::{Burst, Noise};
use crate::world::operation::{Group, Manner, Operation, Over, Trouble, Word};

/// A world that can be run again: what a found fault is kept as.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// What it shows, for people.
    pub why: String,
    /// Of its dice.
    pub seed: u64,
    /// All else.
    pub blueprint: Blueprint,
}

/// What a world under watch came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ran {
    /// How many steps the tape had.
    pub steps: usize,
    /// How often something was unreachable, blocked or contested at an evaluation: a world in which nothing ever is proves
    /// little.
    pub words: usize,
}

impl Case {
    /// The random world of a seed.
    pub fn of(seed: u64) -> Self {
        Self { why: format!("the random world of seed {seed}"), seed, blueprint: blueprint(seed) }
    }

    /// Runs it to its end, or to the first invariant that does not hold.
    pub fn run(&self, rigour: Rigour) -> Result<Ran, Breach> {
        let mut last = Moment::ZERO;
        let ran = catch_unwind(AssertUnwindSafe(|| self.watched(rigour, &mut last)));
        ran.unwrap_or_else(|_| Err(Breach::new("nothing panics", last, "see the message above")))
    }

    fn watched(&self, rigour: Rigour, last: &mut Moment) -> Result<Ran, Breach> {
        let mut world = World::new(self.blueprint.clone(), self.seed);
        let mut watch = Watch::new(world.setting(), self.seed, rigour);
        let mut ran = Ran { steps: 0, words: 0 };
        for Timed { at, step } in world.by_ref() {
            *last = at;
            watch.take(at, &step)?;
            ran.steps += 1;
            if matches!(step, Step::Judge) {
                let said = &watch.engine().evaluator.verdicts().entry_points;
                ran.words += said.iter().filter(|verdict| verdict.state().tier() > 0).count();
            }
        }
        // Noise may have the last word in a world that has some.
        if self.blueprint.noise == Noise::default() && self.is_over_at(*last) {
            watch.end(*last)?;
        }
        Ok(ran)
    }

    /// Whether nothing has befallen anybody for a while.
    fn is_over_at(&self, at: Moment) -> bool {
        self.blueprint.operations.iter().all(|operation| operation.ends_at().after(WELL) <= at.after(WELL / 6))
    }

    /// The shortest list of troubles that was found to break the same invariant, in at most `tries` runs.
    #[must_use]
    pub fn shrunk(&self, breach: &Breach, mut tries: u32) -> Self {
        let mut best = self.clone();
        let mut breaks = |case: &Self| {
            tries = tries.saturating_sub(1);
            tries > 0 && case.run(Rigour::Whole).is_err_and(|other| other.invariant == breach.invariant)
        };
        let mut cut = self.clone();
        cut.blueprint.ends_ms = breach.at.as_ms() + 1;
        if breaks(&cut) {
            best = cut;
        }
        let mut part = best.blueprint.operations.len().div_ceil(2);
        while part > 0 {
            let mut at = 0;
            while at < best.blueprint.operations.len() {
                let mut without = best.clone();
                let end = (at + part).min(without.blueprint.operations.len());
                without.blueprint.operations.drain(at..end);
                // A world without any has no agents that walk: it is another kind of world.
                if !without.blueprint.operations.is_empty() && breaks(&without) {
                    best = without;
                } else {
                    at = end;
                }
            }
            part /= 2;
        }
        let mut still = best.clone();
        still.blueprint.noise = Noise::default();
        if breaks(&still) { still } else { best }
    }
}

/// No trouble begins before: everybody has seen everybody.
const BEGINS: Duration = Duration::from_secs(200);
/// The last one begins by then.
const ENDS: Duration = Duration::from_secs(55 * 60);
/// How long all is well at the end.
const WELL: Duration = Duration::from_secs(6 * 60);

fn blueprint(seed: u64) -> Blueprint {
    let mut dice = Dice::new(seed, "random world");
    // In a town not everybody knocks on everybody, and who knocks on whom changes with who is there.
    let is_town = dice.below(6) == 0;
    let count = if is_town { dice.between(8, 14) } else { dice.between(3, 9) } as usize;
    let mut hosts: Vec<Host> = (0..count).map(|number| host(&mut dice, number)).collect();
    if dice.below(4) > 0 {
        for host in &mut hosts {
            host.forwards_to.clear();
        }
    }
    let routes = (0..3).map(|nth| Offer {
        id: format!("r{nth}"),
        servers: {
            let some = dice.between(1, count as u64) as usize;
            dice.some(some, count)
        },
        audience: if nth == 0 { vec![COUNTRIES[0].to_owned()] } else { Vec::new() },
    });
    let routes = routes.collect();
    let troubles = dice.between(2, 16);
    let mut operations: Vec<Operation> = (0..troubles).map(|_| operation(&mut dice, count)).collect();
    operations.sort_by_key(|operation| operation.at_ms);
    let over = operations.iter().map(Operation::ends_at).max().unwrap_or(Moment::ZERO);
    Blueprint {
        hosts,
        routes,
        noise: noise(&mut dice),
        spacing_ms: if is_town { dice.between(5_000, 12_000) } else { *dice.pick(&[1_000, 2_000, 4_000]) },
        ends_ms: over.after(WELL).as_ms(),
        judging: Judging { fine_ms: 7_000, fine_for_ms: 240_000, coarse_ms: 31_000 },
        operations,
    }
}

const COUNTRIES: [&str; 3] = ["AA", "BB", "CC"];

fn host(dice: &mut Dice, number: usize) -> Host {
    let mut doors: Vec<Door> = Door::ALL.into_iter().filter(|_| dice.below(2) == 0).collect();
    if doors.is_empty() {
        doors.push(Door::Tls);
    }
    let upstream = number as u16 + dice.between(1, 3) as u16;
    Host {
        country: (dice.below(6) > 0).then(|| (*dice.pick(&COUNTRIES)).to_owned()),
        site: if dice.below(4) == 0 { dice.below(3) as u16 } else { 100 + number as u16 },
        provider: dice.below(3) as u8,
        verifier: dice.below(6) == 0,
        ipv6: dice.below(4) > 0,
        doors,
        forwards_to: if dice.below(3) == 0 { vec![upstream] } else { Vec::new() },
    }
}

fn noise(dice: &mut Dice) -> Noise {
    let burst = |dice: &mut Dice, lost_ppm: u32| Burst {
        lost_ppm,
        worsens_ppm: *dice.pick(&[0, 1_000, 10_000]),
        bad_lost_ppm: *dice.pick(&[200_000, 500_000, 900_000]),
        recovers_ppm: 300_000,
    };
    match dice.below(3) {
        0 => Noise::default(),
        1 => Noise { paths: burst(dice, 2_000), hosts: Burst::default() },
        _ => Noise { paths: burst(dice, 20_000), hosts: burst(dice, 0) },
    }
}

fn operation(dice: &mut Dice, count: usize) -> Operation {
    let at = Moment::ZERO.after(dice.span(BEGINS, ENDS));
    // As many short ones as long ones: 1 s to 27 minutes, on a scale of powers of three.
    let most_s = 3_u64.pow(dice.between(1, 7) as u32 - 1) * 3;
    let lasts = Duration::from_millis(dice.between(500, most_s.min(1_600) * 1_000));
    Operation::new(at, lasts, trouble(dice, count))
}

fn trouble(dice: &mut Dice, count: usize) -> Trouble {
    let server = dice.below(count as u64) as u16;
    let over = *dice.pick(&[Over::All, Over::All, Over::Tcp, Over::Udp, Over::V4, Over::V6]);
    match dice.below(30) {
        0 | 1 => Trouble::HostDead(server),
        2 => Trouble::ServiceStopped(server),
        3 => Trouble::ServiceRestarts(server),
        4 => Trouble::CertificateExpired(server),
        5 => Trouble::IngressDead(server, over),
        6 => Trouble::EgressDead(server, over),
        7 => Trouble::NoAddress(server, over),
        8 => Trouble::Lossy(server, *dice.pick(&[200_000, 500_000, 800_000])),
        9 => Trouble::Flaps { server, up_ms: dice.between(5_000, 300_000), down_ms: dice.between(5_000, 300_000) },
        10..=16 => Trouble::Wall {
            from: group(dice, count),
            to: group(dice, count),
            over,
            manner: *dice.pick(&[Manner::Drop, Manner::Reset, Manner::Swallow]),
        },
        17 => Trouble::AgentStopped(server),
        18 => Trouble::AgentSlow { server, late_ms: dice.between(500, 8_000) },
        19 => Trouble::AgentAway { server, wiped: dice.below(2) == 0 },
        20 | 21 => Trouble::UplinkDead(group(dice, count)),
        22 => Trouble::BadMessages {
            servers: group(dice, count),
            lost_ppm: *dice.pick(&[0, 100_000, 500_000]),
            doubled_ppm: *dice.pick(&[0, 200_000, 500_000]),
            delay_ms: dice.between(0, 20_000),
        },
        23 => Trouble::AggregatorAway,
        24 => Trouble::ClockOff(server, *dice.pick(&[-3_600, 3_600, 30])),
        25 => Trouble::Lies {
            server,
            about: group(dice, count),
            word: *dice.pick(&[Word::Denies, Word::Denies, Word::Vouches]),
        },
        26 => Trouble::Drained(server),
        27 => Trouble::Disabled(server),
        28 => Trouble::Gone(server),
        _ => Trouble::NewAddress(server),
    }
}

fn group(dice: &mut Dice, count: usize) -> Group {
    let some = dice.between(1, count as u64) as usize;
    let country = || COUNTRIES[0].to_owned();
    match dice.below(9) {
        0 => Group::All,
        1..=3 => Group::Servers(dice.some(some, count)),
        4 => Group::NotServers(dice.some(some, count)),
        5 => Group::Country(country()),
        6 => Group::NotCountry(country()),
        7 => Group::Provider(0),
        _ => Group::NotProvider(0),
    }
}
