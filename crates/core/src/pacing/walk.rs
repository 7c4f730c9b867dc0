//! A round under way: what is left to start, and what was seen.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;
use core::net::IpAddr;
use core::time::Duration;

use super::memory::Memory;
use super::ms;
use super::order::{shuffled, slots};
use crate::dice::Dice;
use crate::outcome::{Outcome, Reason};
use crate::plan::ProbePlan;
use crate::probe::{Probe, ProbeKind};
use crate::time::Moment;

/// A round under way.
#[derive(Debug)]
pub(super) struct Walk {
    pub ends_at: Moment,
    /// What is left to start: the part under way first.
    pub parts: VecDeque<Part>,
    /// One for each target of the plan, once there is one.
    pub outcomes: Vec<Option<Outcome>>,
    /// When the last outcome that was seen came, if one did.
    pub seen_at: Option<Moment>,
}

/// The TCP or the UDP part of a round.
#[derive(Debug)]
pub(super) struct Part {
    pub ends_at: Moment,
    pub queue: VecDeque<usize>,
    /// Start times, as many as targets in the queue.
    pub slots: VecDeque<Moment>,
}

impl Walk {
    /// The round of that number: TCP first, then UDP, each with its share of the time.
    pub fn begin(plan: &ProbePlan, memories: &[Memory], dice: &mut Dice, round_number: u64, began_at: Moment) -> Self {
        let (mut tcp, mut udp) = (Vec::new(), Vec::new());
        for (at, (target, memory)) in plan.targets.iter().zip(memories).enumerate() {
            if memory.is_due(&target.probe, round_number) {
                if target.probe.kind.is_udp() { udp.push(at) } else { tcp.push(at) }
            }
        }
        let ends_at = began_at.after(plan.interval);
        let due = (tcp.len() + udp.len()).max(1) as u64;
        let turn_at = began_at.after(Duration::from_millis(ms(plan.interval) * tcp.len() as u64 / due));
        let parts = [(tcp, began_at, turn_at), (udp, turn_at, ends_at)]
            .map(|(due, begins_at, ends_at)| Part::new(plan, memories, dice, &due, begins_at, ends_at));
        Self {
            ends_at,
            parts: parts.into_iter().filter(|part| !part.queue.is_empty()).collect(),
            outcomes: vec![None; plan.targets.len()],
            seen_at: None,
        }
    }

    /// The part under way ends, and with it the turns of those who are left in it.
    pub fn end_part(&mut self, reason: Reason, memories: &mut [Memory]) {
        for target in self.parts.pop_front().map(|part| part.queue).unwrap_or_default() {
            self.pass_over(target, reason, memories);
        }
    }

    /// The next one in turn does not get it.
    pub fn skip(&mut self, reason: Reason, memories: &mut [Memory]) {
        let Some(part) = self.parts.front_mut() else { return };
        part.slots.pop_front();
        if let Some(target) = part.queue.pop_front() {
            self.pass_over(target, reason, memories);
        }
    }

    fn pass_over(&mut self, target: usize, reason: Reason, memories: &mut [Memory]) {
        self.outcomes[target] = Some(Outcome::Inconclusive(reason));
        memories[target].owed = true;
    }
}

impl Part {
    /// Those who are owed a turn come first.
    fn new(
        plan: &ProbePlan,
        memories: &[Memory],
        dice: &mut Dice,
        due: &[usize],
        begins_at: Moment,
        ends_at: Moment,
    ) -> Self {
        let named = |owed: bool| -> Vec<(usize, Option<&str>)> {
            let due = due.iter().filter(|at| memories[**at].owed == owed);
            due.map(|at| (*at, shown_name(&plan.targets[*at].probe))).collect()
        };
        let mut queue: VecDeque<usize> = shuffled(dice, &named(true)).into();
        queue.extend(shuffled(dice, &named(false)));
        let offsets = slots(dice, queue.len(), ms(ends_at.since(begins_at)));
        let slots = offsets.into_iter().map(|offset| begins_at.after(Duration::from_millis(offset))).collect();
        Self { ends_at, queue, slots }
    }
}

/// The name that a handshake shows to the network, if it shows one.
fn shown_name(probe: &Probe) -> Option<&str> {
    match (probe.kind, &probe.sni) {
        (ProbeKind::Tcp, _) => None,
        (_, Some(sni)) => Some(sni),
        (_, None) if probe.host.parse::<IpAddr>().is_ok() => None,
        (_, None) => Some(&probe.host),
    }
}
