//! The detectors that the scoreboard compares: published rules, two baselines, and Quorate whole and without each of its
//! own rules.
//!
//! A rival is a small re-implementation of a published rule, from its source's own words, cited in its module's header. All
//! get the same reports, each once and in order, and know the same fleet. What a source says in seconds of its own heartbeat
//! is scaled to rounds of the tape. Each entry point is judged; a rule that knows hosts alone is applied to each entry point
//! as if it were a host. `docs/detectors.md` says for each what was scaled, and why that is fair.

mod any_witness;
mod ceph;
mod cloudflare;
mod frame;
mod maddash;
mod majority;
mod memory;
mod mesh;
mod plan;
mod quorate;
mod rapid;
mod route53;
mod tuning;

#[cfg(test)]
mod tests;

use crate::detector::Detector;
use crate::tape::Setting;

pub use self::quorate::Ablation;
pub use self::tuning::Tuning;

use self::frame::Rival;
use self::tuning::{Knobs, Rounds};

/// A published rule or a baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Ceph's monitors and OSDs.
    Ceph,
    /// Rapid's multi-process cut detection.
    Rapid,
    /// Cloudflare's majority of regions, each the majority of its data centers.
    Cloudflare,
    /// Route 53's 18 % of health checkers.
    Route53,
    /// MaDDash with Madalert's default rule.
    Maddash,
    /// More than half of the witnesses.
    Majority,
    /// One witness is enough.
    AnyWitness,
}

impl Kind {
    /// All, in the order of the table.
    pub const ALL: [Self; 7] =
        [Self::Ceph, Self::Rapid, Self::Cloudflare, Self::Route53, Self::Maddash, Self::Majority, Self::AnyWitness];

    /// How it is called in the table.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ceph => "ceph",
            Self::Rapid => "rapid",
            Self::Cloudflare => "cloudflare",
            Self::Route53 => "route53",
            Self::Maddash => "maddash",
            Self::Majority => "majority",
            Self::AnyWitness => "any_witness",
        }
    }

    /// The detector. `knob` is how many rounds must fail where the source leaves that to its user; none is as documented.
    pub(crate) fn detector(self, setting: &Setting, knob: Option<Rounds>) -> Box<dyn Detector> {
        let name = self.name();
        match self {
            Self::Ceph => Box::new(Rival::new(name, setting, ceph::Ceph::new(setting, knob))),
            Self::Rapid => Box::new(Rival::new(name, setting, rapid::Rapid::new(setting, knob))),
            Self::Cloudflare => Box::new(Rival::new(name, setting, cloudflare::Cloudflare::new(setting, knob))),
            Self::Route53 => Box::new(Rival::new(name, setting, route53::Route53::new(setting, knob))),
            Self::Maddash => Box::new(Rival::new(name, setting, maddash::Maddash::new(setting, knob))),
            Self::Majority => Box::new(Rival::new(name, setting, majority::Majority::new(setting, knob))),
            Self::AnyWitness => Box::new(Rival::new(name, setting, any_witness::AnyWitness::new(setting, knob))),
        }
    }
}

/// Every rival, tuned so.
pub fn rivals(setting: &Setting, tuning: Tuning) -> Vec<Box<dyn Detector>> {
    let knobs = match tuning {
        Tuning::Documented => Knobs::default(),
        Tuning::EqualDetection => tuning::equal_detection().clone(),
    };
    Kind::ALL.iter().map(|kind| kind.detector(setting, knobs.of(*kind))).collect()
}

/// How many rounds must fail for each rival that is tuned to Quorate's detection time, by the names of the table.
pub fn tuned_rounds() -> Vec<(&'static str, u8)> {
    let rounds = |kind: &Kind| tuning::equal_detection().of(*kind).map(|rounds| (kind.name(), rounds));
    Kind::ALL.iter().filter_map(rounds).collect()
}

/// Quorate, then Quorate without each of its rules that can be taken from it.
pub fn quorates(setting: &Setting) -> Vec<Box<dyn Detector>> {
    let whole: Box<dyn Detector> = Box::new(quorate::Quorate::new(setting, None));
    let without = Ablation::ALL
        .iter()
        .map(|ablation| -> Box<dyn Detector> { Box::new(quorate::Quorate::new(setting, Some(*ablation))) });
    [whole].into_iter().chain(without).collect()
}

/// Everybody: Quorate first, its ablations, then the rivals tuned so. Quorate's rows do not depend on the tuning.
pub fn all(setting: &Setting, tuning: Tuning) -> Vec<Box<dyn Detector>> {
    let mut all = quorates(setting);
    all.extend(rivals(setting, tuning));
    all
}
