//! How Ceph learns that an OSD was slow and not dead: each time it comes back without having been restarted, it is given more
//! grace for the next time, and less again the longer it is missing.

use std::time::Duration;

use super::scaled;
use crate::tape::Setting;

/// `mon_osd_laggy_weight`: how much the last time counts.
const WEIGHT: f64 = 0.3;
/// `mon_osd_laggy_halflife`.
const HALF_LIFE: Duration = Duration::from_secs(3600);
/// `mon_osd_laggy_max_interval`.
const INTERVAL_MAX: Duration = Duration::from_secs(300);

/// Its spans, in rounds of the tape.
#[derive(Debug, Clone, Copy)]
pub(in crate::rival) struct Scale {
    half_life: Duration,
    interval_max: Duration,
}

impl Scale {
    pub fn of(setting: &Setting) -> Self {
        Self { half_life: scaled(setting, HALF_LIFE), interval_max: scaled(setting, INTERVAL_MAX) }
    }
}

/// How laggy an OSD was.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::rival) struct Laggy {
    interval_s: f64,
    probability: f64,
}

impl Laggy {
    /// It was down for so long, and had never stopped.
    pub fn was_wrongly_down(&mut self, scale: Scale, down_for: Duration) {
        let interval_s = down_for.min(scale.interval_max).as_secs_f64();
        self.interval_s = interval_s * WEIGHT + self.interval_s * (1.0 - WEIGHT);
        self.probability = WEIGHT + self.probability * (1.0 - WEIGHT);
    }

    /// It was really gone.
    pub fn started_anew(&mut self) {
        self.interval_s *= 1.0 - WEIGHT;
        self.probability *= 1.0 - WEIGHT;
    }

    /// What is added to the grace of one that is missing for so long.
    pub fn grace(&self, scale: Scale, missing_for: Duration) -> Duration {
        if self.probability == 0.0 {
            return Duration::ZERO;
        }
        let decay = 0.5_f64.powf(missing_for.as_secs_f64() / scale.half_life.as_secs_f64());
        Duration::from_secs_f64(decay * self.interval_s * self.probability)
    }
}
