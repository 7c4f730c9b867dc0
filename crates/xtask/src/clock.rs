//! How long something took, by the wall and by the processor.

use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use nix::time::{ClockId, clock_gettime};

/// Does `work` and says how long it took.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    let done = work();
    (done, started.elapsed())
}

/// What this thread has had of a processor; zero where the system does not tell.
pub fn thread_cpu() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}

#[allow(dead_code, reason = "the parts that use it are being written")]
/// What all programs that we ran and waited for have had of a processor, in user mode and in the kernel.
pub fn children_cpu() -> Duration {
    let span = |time: TimeVal| {
        let micros = time.tv_sec() * 1_000_000 + time.tv_usec();
        Duration::from_micros(u64::try_from(micros).unwrap_or_default())
    };
    getrusage(UsageWho::RUSAGE_CHILDREN)
        .map_or(Duration::ZERO, |usage| span(usage.user_time()) + span(usage.system_time()))
}
