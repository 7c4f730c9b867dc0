//! Deadlines: tests wait for conditions, never for a time; the time here only bounds the wait.

use std::fs;
use std::num::NonZero;
use std::thread::{available_parallelism, sleep};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use nix::time::{ClockId, clock_gettime};
use nix::unistd::Pid;

/// How often a condition is looked at. Short beside a round of the lab (2 s), long beside the cost of a look.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Two labs side by side are half of this.
const LOAD_PER_PROCESSOR_MAX: f64 = 4.0;
/// What a machine with more to do than that may add to anything.
const STARVED_FOR: Duration = Duration::from_secs(30);

/// Waits until `look` finds what it looks for. `look` says in words what it found else; the last words end up in the
/// panic when `at_most` has passed.
pub fn wait_for<T>(what: &str, at_most: Duration, look: impl FnMut() -> Result<T, String>) -> T {
    look_for(what, at_most, look).unwrap_or_else(|in_vain| panic!("{in_vain}"))
}

/// The same where waiting in vain is an answer too: it says what was seen last.
pub fn look_for<T>(what: &str, at_most: Duration, mut look: impl FnMut() -> Result<T, String>) -> Result<T, String> {
    let started = Instant::now();
    loop {
        match look() {
            Ok(found) => {
                eprintln!("  {:>5.1} s  {what}", started.elapsed().as_secs_f32());
                return Ok(found);
            }
            Err(seen) if started.elapsed() > at_most => {
                return Err(format!("waited {at_most:?} in vain: {what}; last seen: {seen}"));
            }
            Err(_) => sleep(LOOK_EVERY),
        }
    }
}

/// Holds `look` to what it must always find, for as long as `span`.
pub fn always(what: &str, span: Duration, mut look: impl FnMut() -> Result<(), String>) {
    let started = Instant::now();
    while started.elapsed() < span {
        if let Err(seen) = look() {
            panic!("{what} did not hold after {:?}: {seen}", started.elapsed());
        }
        sleep(LOOK_EVERY);
    }
    eprintln!("  {:>5.1} s  held: {what}", span.as_secs_f32());
}

/// Does something, and says how long it took.
pub fn timed(act: impl FnOnce()) -> Duration {
    let started = Instant::now();
    act();
    started.elapsed()
}

/// What a process has used of the processors' time since its start, all of its threads together, to the nanosecond.
pub fn cpu_of(process: Pid) -> Duration {
    let clock = ClockId::pid_cpu_clock_id(process);
    let used = clock.and_then(clock_gettime).unwrap_or_else(|error| panic!("process {process} has no clock: {error}"));
    used.into()
}

/// Lets time pass where its passing is what the test does to something: a pause of a given length.
pub fn pass(span: Duration) {
    sleep(span);
}

/// The wall clock, Unix milliseconds: for comparison with what the aggregator has written down.
pub fn unix_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("it is later than 1970").as_millis() as u64
}

/// The bound to hold a promise of seconds to. A machine that has far more to do than it has processors cannot keep one,
/// whoever gave it: there the bound only says that the thing happens at all, and that is said.
pub fn promised(at_most: Duration) -> Duration {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: f64 = load.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or_default();
    let processors = available_parallelism().map_or(1, NonZero::get) as u32;
    if load <= LOAD_PER_PROCESSOR_MAX * f64::from(processors) {
        return at_most;
    }
    eprintln!("  a load of {load} on {processors} processors: not held to {at_most:?}");
    at_most + STARVED_FOR
}
