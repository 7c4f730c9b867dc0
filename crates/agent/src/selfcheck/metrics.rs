//! The numbers of the host. What cannot be measured is absent.

use quorate_proto::v1::Metrics;
use sysinfo::{Disks, Networks, System};

use crate::clock::Stopwatch;

/// Keeps the counters of the last look: rates are differences.
pub(super) struct Meter {
    kept: Option<Kept>,
}

struct Kept {
    system: Option<System>,
    traffic: Option<(Stopwatch, u64, u64)>,
}

impl Meter {
    pub(super) fn new() -> Self {
        Self { kept: Some(Kept { system: System::new().ok(), traffic: None }) }
    }

    /// Reads /proc and asks for the disk on a thread that may wait.
    pub(super) async fn measure(&mut self) -> Metrics {
        let mut kept = self.kept.take().unwrap_or(Kept { system: None, traffic: None });
        let measured = tokio::task::spawn_blocking(move || {
            let metrics = kept.measure();
            (kept, metrics)
        });
        match measured.await {
            Ok((kept, metrics)) => {
                self.kept = Some(kept);
                metrics
            }
            Err(_) => Metrics::default(),
        }
    }
}

impl Kept {
    fn measure(&mut self) -> Metrics {
        let mut metrics = Metrics::default();
        if let Some(system) = &mut self.system {
            system.refresh_cpu_usage();
            system.refresh_memory();
            metrics.cpu_percent = Some(system.global_cpu_usage());
            metrics.memory_total_bytes = Some(system.total_memory());
            metrics.memory_used_bytes = Some(system.used_memory());
        }
        if let Ok(load) = System::load_average() {
            let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
            metrics.load_per_core = Some((load.one / f64::from(cores)) as f32);
        }
        metrics.uptime_s = System::uptime().ok();
        self.disk(&mut metrics);
        self.network(&mut metrics);
        metrics.open_files = open_files();
        metrics.agent_memory_bytes = own_memory();
        metrics
    }

    #[allow(clippy::unused_self, reason = "beside its siblings")]
    fn disk(&self, metrics: &mut Metrics) {
        let Ok(disks) = Disks::new_with_refreshed_list() else { return };
        let root = disks.iter().find(|disk| disk.mount_point() == std::path::Path::new("/"));
        if let Some(disk) = root {
            metrics.disk_total_bytes = Some(disk.total_space());
            metrics.disk_used_bytes = Some(disk.total_space().saturating_sub(disk.available_space()));
        }
    }

    fn network(&mut self, metrics: &mut Metrics) {
        let Ok(networks) = Networks::new_with_refreshed_list() else { return };
        let (mut received, mut sent) = (0u64, 0u64);
        for (name, network) in &networks {
            if name != "lo" {
                received = received.saturating_add(network.total_received());
                sent = sent.saturating_add(network.total_transmitted());
            }
        }
        if let Some((watch, received_then, sent_then)) = self.traffic {
            let seconds = watch.elapsed().as_secs_f32().max(0.001);
            metrics.network_received_bytes_per_s = Some(rate(received_then, received, seconds));
            metrics.network_sent_bytes_per_s = Some(rate(sent_then, sent, seconds));
        }
        self.traffic = Some((Stopwatch::start(), received, sent));
    }
}

/// An interface that went away takes its counters with it: that is no traffic.
#[allow(clippy::cast_precision_loss, reason = "a rate for people")]
fn rate(then: u64, now: u64, seconds: f32) -> f32 {
    now.saturating_sub(then) as f32 / seconds
}

/// Of the whole system: what runs out when something leaks.
fn open_files() -> Option<u64> {
    std::fs::read_to_string("/proc/sys/fs/file-nr").ok()?.split_whitespace().next()?.parse().ok()
}

/// Resident pages of this process.
fn own_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}
