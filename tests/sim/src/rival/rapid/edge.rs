//! An edge of the monitoring topology: what an observer remembers of a subject's last ten probes, and whether it has alerted.

use crate::rival::tuning::Rounds;

/// The last probes that count.
const PROBES: u32 = 10;

/// An observer's memory of a subject.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Edge {
    /// The last probes, the latest in the lowest bit; a set bit failed.
    window: u16,
    /// Since the last change of the membership a probe succeeded.
    was_reached: bool,
    /// Since then it alerted; nothing takes that back.
    is_faulty: bool,
}

impl Edge {
    /// Takes a probe; so many failures among the last ten are an alert. Returns whether it alerts from then on.
    pub fn take(&mut self, failed: bool, failures: Rounds) -> bool {
        self.window = (self.window << 1 | u16::from(failed)) & ((1 << PROBES) - 1);
        self.was_reached |= !failed;
        let was_faulty = self.is_faulty;
        self.is_faulty |= self.window.count_ones() >= u32::from(failures);
        self.is_faulty && !was_faulty
    }

    /// The membership changed; the edge stays, and alerts again if it has reason to.
    pub fn keep(&mut self) {
        (self.was_reached, self.is_faulty) = (false, false);
    }

    pub fn is_faulty(self) -> bool {
        self.is_faulty
    }

    pub fn was_reached(self) -> bool {
        self.was_reached
    }
}
