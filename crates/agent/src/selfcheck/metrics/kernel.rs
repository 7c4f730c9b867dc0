//! Takes the numbers out of what the kernel writes in /proc: one file, one reading. What is not there is no number.

#[cfg(test)]
mod tests;

/// What all processors together did since boot, in the kernel's ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ticks {
    busy: u64,
    all: u64,
}

impl Ticks {
    /// From `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal. What follows is part of user and nice.
    pub(super) fn of(stat: &str) -> Option<Self> {
        let ticks: Vec<u64> =
            stat.strip_prefix("cpu ")?.lines().next()?.split_whitespace().flat_map(str::parse).collect();
        let all = ticks.iter().take(8).sum();
        let idle = ticks.get(3)? + ticks.get(4)?;
        Some(Self { busy: all - idle, all })
    }

    /// 0 to 100; nothing if no time has passed. Counters of a machine that was moved may have gone back.
    #[allow(clippy::cast_precision_loss, reason = "a share for people")]
    pub(super) fn busy_percent_since(self, then: Self) -> Option<f32> {
        let all = self.all.checked_sub(then.all).filter(|all| *all > 0)?;
        let busy = self.busy.saturating_sub(then.busy).min(all);
        Some(busy as f32 * 100.0 / all as f32)
    }
}

/// Bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Memory {
    pub(super) total: u64,
    /// What could be had without swapping.
    pub(super) available: u64,
}

/// From `/proc/meminfo`.
pub(super) fn memory(meminfo: &str) -> Option<Memory> {
    Some(Memory { total: kib(meminfo, "MemTotal:")?, available: kib(meminfo, "MemAvailable:")? })
}

/// Resident bytes of the process, from its `status`.
pub(super) fn resident(status: &str) -> Option<u64> {
    kib(status, "VmRSS:")
}

/// Of the whole system, from `/proc/sys/fs/file-nr`: what runs out when something leaks.
pub(super) fn open_files(file_nr: &str) -> Option<u64> {
    file_nr.split_whitespace().next()?.parse().ok()
}

/// Bytes since boot over all interfaces that lead off the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Traffic {
    pub(super) received: u64,
    pub(super) sent: u64,
}

impl Traffic {
    /// From `/proc/net/dev`: a name, eight numbers received, eight sent; bytes first.
    pub(super) fn of(dev: &str) -> Self {
        let mut all = Self::default();
        for (name, numbers) in dev.lines().filter_map(|line| line.split_once(':')) {
            let mut numbers = numbers.split_whitespace().map(str::parse::<u64>);
            if name.trim() != "lo"
                && let (Some(Ok(received)), Some(Ok(sent))) = (numbers.next(), numbers.nth(7))
            {
                all.received = all.received.saturating_add(received);
                all.sent = all.sent.saturating_add(sent);
            }
        }
        all
    }
}

/// Bytes of a line like `MemTotal:  8000000 kB`.
fn kib(text: &str, field: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(field))?;
    Some(rest.trim().strip_suffix("kB")?.trim_end().parse::<u64>().ok()? * 1024)
}
