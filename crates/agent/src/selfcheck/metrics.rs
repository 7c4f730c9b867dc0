//! The numbers of the host. What cannot be measured is absent.

use std::fs;

use nix::sys::statvfs::statvfs;
use nix::sys::sysinfo::sysinfo;
use quorate_proto::v1::Metrics;

use self::kernel::{Ticks, Traffic};
use crate::clock::Stopwatch;

mod kernel;

/// Keeps the counters of the last look: rates are differences.
#[derive(Debug, Default)]
pub(super) struct Meter {
    ticks: Option<Ticks>,
    traffic: Option<(Stopwatch, Traffic)>,
}

impl Meter {
    /// Reads /proc and asks for the disk on a thread that may wait.
    pub(super) async fn measure(&mut self) -> Metrics {
        let mut meter = std::mem::take(self);
        let measured = tokio::task::spawn_blocking(move || {
            let metrics = meter.look();
            (meter, metrics)
        });
        let Ok((meter, metrics)) = measured.await else { return Metrics::default() };
        *self = meter;
        metrics
    }

    fn look(&mut self) -> Metrics {
        let mut metrics = Metrics {
            cpu_percent: self.cpu_percent(),
            open_files: read("/proc/sys/fs/file-nr").and_then(|text| kernel::open_files(&text)),
            agent_memory_bytes: read("/proc/self/status").and_then(|text| kernel::resident(&text)),
            ..Metrics::default()
        };
        if let Some(memory) = read("/proc/meminfo").and_then(|text| kernel::memory(&text)) {
            metrics.memory_total_bytes = Some(memory.total);
            metrics.memory_used_bytes = Some(memory.total.saturating_sub(memory.available));
        }
        if let Ok(host) = sysinfo() {
            let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
            metrics.load_per_core = Some((host.load_average().0 / f64::from(cores)) as f32);
            metrics.uptime_s = Some(host.uptime().as_secs());
        }
        if let Ok(disk) = statvfs("/") {
            let (total, free) = (disk.blocks() * disk.fragment_size(), disk.blocks_available() * disk.fragment_size());
            metrics.disk_total_bytes = Some(total);
            metrics.disk_used_bytes = Some(total.saturating_sub(free));
        }
        self.network(&mut metrics);
        metrics
    }

    /// Since the last look; the first one has nothing to compare with.
    fn cpu_percent(&mut self) -> Option<f32> {
        let now = read("/proc/stat").and_then(|text| Ticks::of(&text))?;
        self.ticks.replace(now).and_then(|then| now.busy_percent_since(then))
    }

    fn network(&mut self, metrics: &mut Metrics) {
        let Some(now) = read("/proc/net/dev").map(|text| Traffic::of(&text)) else { return };
        if let Some((watch, then)) = self.traffic {
            let seconds = watch.elapsed().as_secs_f32().max(0.001);
            metrics.network_received_bytes_per_s = Some(rate(then.received, now.received, seconds));
            metrics.network_sent_bytes_per_s = Some(rate(then.sent, now.sent, seconds));
        }
        self.traffic = Some((Stopwatch::start(), now));
    }
}

/// An interface that went away takes its counters with it: that is no traffic.
#[allow(clippy::cast_precision_loss, reason = "a rate for people")]
fn rate(then: u64, now: u64, seconds: f32) -> f32 {
    now.saturating_sub(then) as f32 / seconds
}

fn read(path: &str) -> Option<String> {
    fs::read_to_string(path).ok()
}
