//! The last hour of every server in small, for lists: filled as reports come, and once at the start from the archive.
//!
//! The everyday picture: a strip chart with sixty marks, one a minute; what is older than the strip is overwritten. It is a
//! picture for people and feeds no rule.
//!
//! Bounded: a server has [`SLOTS`] slots of 20 bytes, and the latencies of the slot that is being written, at most
//! [`SAMPLES_MAX`].

use std::collections::BTreeMap;
use std::time::Duration;

use quorate_core::outcome::Outcome;
use quorate_core::time::Moment;
use quorate_proto::v1;

/// Marks on the strip.
pub const SLOTS: usize = 60;
/// What the whole strip covers.
pub const SPAN: Duration = Duration::from_secs(3600);
/// Of a mark.
pub const STEP: Duration = Duration::from_secs(SPAN.as_secs() / SLOTS as u64);
/// Latencies kept of a slot until it is over: a median of more says the same.
const SAMPLES_MAX: usize = 64;

/// What was measured in one slot.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Mark {
    /// Of its processor, 0 to 100.
    pub cpu_percent: Option<f32>,
    /// Of its memory, 0 to 1.
    pub memory_used_share: Option<f32>,
    /// Received and sent together.
    pub network_bytes_per_s: Option<f32>,
    /// Median of the knocks of others that reached its entry points.
    pub latency_ms: Option<f32>,
}

/// The strip of one server.
#[derive(Debug, Clone)]
struct Strip {
    /// Slot `n` of all time lies at `n % SLOTS`, if its number is this.
    marks: Vec<(u64, Mark)>,
    /// The slot whose latencies are being gathered, and they.
    gathering: (u64, Vec<f32>),
}

impl Default for Strip {
    fn default() -> Self {
        Self { marks: vec![(0, Mark::default()); SLOTS], gathering: (0, Vec::new()) }
    }
}

/// The strips of all servers.
#[derive(Debug, Clone, Default)]
pub struct Lines {
    servers: BTreeMap<String, Strip>,
}

impl Lines {
    /// Takes note of what a server said of itself.
    pub fn note_self(&mut self, server: &str, at: Moment, metrics: &v1::Metrics) {
        let mark = self.strip(server).mark(number(at));
        let Some(mark) = mark else { return };
        let share = |used: Option<u64>, total: Option<u64>| share(used?, total?);
        mark.cpu_percent = metrics.cpu_percent.or(mark.cpu_percent);
        mark.memory_used_share =
            share(metrics.memory_used_bytes, metrics.memory_total_bytes).or(mark.memory_used_share);
        let both = [metrics.network_received_bytes_per_s, metrics.network_sent_bytes_per_s];
        let both = both.into_iter().flatten().reduce(|received, sent| received + sent);
        mark.network_bytes_per_s = both.or(mark.network_bytes_per_s);
    }

    /// Takes note of a knock on a server.
    pub fn note_knock(&mut self, server: &str, at: Moment, outcome: &Outcome) {
        if let Outcome::Reached { latency } = outcome {
            self.strip(server).knock(number(at), latency.as_secs_f32() * 1000.0);
        }
    }

    /// Keeps to the servers for which `is_there` holds.
    pub fn keep_to(&mut self, is_there: impl Fn(&str) -> bool) {
        self.servers.retain(|server, _| is_there(server));
    }

    /// Takes over what `older` has and these strips have not: it was gathered before.
    pub fn put_under(&mut self, older: Self) {
        for (server, under) in older.servers {
            let strip = self.strip(&server);
            for (slot, mark) in under.marks {
                if let Some(over) = strip.mark(slot) {
                    over.cpu_percent = over.cpu_percent.or(mark.cpu_percent);
                    over.memory_used_share = over.memory_used_share.or(mark.memory_used_share);
                    over.network_bytes_per_s = over.network_bytes_per_s.or(mark.network_bytes_per_s);
                    over.latency_ms = over.latency_ms.or(mark.latency_ms);
                }
            }
        }
    }

    /// The marks of the hour before `now`, oldest first, by server; none in a slot of which nothing is known.
    pub fn until(&self, now: Moment) -> impl Iterator<Item = (&str, Vec<Mark>)> {
        let newest = number(now);
        let marks = move |strip: &Strip| {
            let slots = (newest + 1).saturating_sub(SLOTS as u64)..=newest;
            slots.map(|slot| strip.read(slot)).collect()
        };
        self.servers.iter().map(move |(server, strip)| (server.as_str(), marks(strip)))
    }

    fn strip(&mut self, server: &str) -> &mut Strip {
        if !self.servers.contains_key(server) {
            self.servers.insert(server.to_owned(), Strip::default());
        }
        self.servers.get_mut(server).expect("it was just put there")
    }
}

impl Strip {
    /// The mark of a slot, begun if it is new; none if the slot was overwritten since.
    fn mark(&mut self, slot: u64) -> Option<&mut Mark> {
        let (holds, mark) = &mut self.marks[(slot % SLOTS as u64) as usize];
        if *holds < slot {
            (*holds, *mark) = (slot, Mark::default());
        }
        (*holds == slot).then_some(mark)
    }

    fn read(&self, slot: u64) -> Mark {
        let (holds, mark) = self.marks[(slot % SLOTS as u64) as usize];
        if holds == slot { mark } else { Mark::default() }
    }

    fn knock(&mut self, slot: u64, latency_ms: f32) {
        // A late report about a slot that is over finds its median made.
        if slot < self.gathering.0 {
            return;
        }
        if slot > self.gathering.0 {
            self.gathering = (slot, Vec::new());
        }
        let samples = &mut self.gathering.1;
        if samples.len() < SAMPLES_MAX {
            samples.push(latency_ms);
            let median = median(samples);
            if let Some(mark) = self.mark(slot) {
                mark.latency_ms = median;
            }
        }
    }
}

/// When the slot begins.
pub fn begins_at(slot: u64) -> Moment {
    Moment::from_ms(slot * STEP.as_millis() as u64)
}

/// The slot of a moment.
pub fn number(at: Moment) -> u64 {
    at.as_ms() / STEP.as_millis() as u64
}

/// A share of a whole, if there is a whole.
#[allow(clippy::cast_precision_loss, reason = "a share for a line of pixels")]
pub fn share(used: u64, total: u64) -> Option<f32> {
    (total > 0).then(|| used as f32 / total as f32)
}

/// The middle of some numbers, the lower one of two; none of none.
pub fn median(numbers: &[f32]) -> Option<f32> {
    let mut sorted = numbers.to_vec();
    let middle = sorted.len().checked_sub(1)? / 2;
    let (_, median, _) = sorted.select_nth_unstable_by(middle, f32::total_cmp);
    Some(*median)
}

#[cfg(test)]
mod tests;
