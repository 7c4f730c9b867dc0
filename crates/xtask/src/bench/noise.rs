//! Whether the machine had time for us: the same piece of arithmetic on every processor at once, again and again. On a quiet
//! machine each piece has its processor to itself, and all take the same. It is looked at before the parts run and after.

use std::fmt;
use std::hint::black_box;
use std::thread;

use crate::clock::{thread_cpu, timed};

/// Pieces on each processor.
const PIECES: u32 = 40;
/// Steps of a piece: about 20 ms.
const STEPS: u64 = 20_000_000;
/// Below this share of its processor, a piece was made to wait by somebody else.
const SHARE_MIN: f64 = 0.95;
/// If the ninth of ten pieces needs this much more CPU time than the first, others are in the caches, on the other half of
/// the core, or on the host.
const SPREAD_MAX: f64 = 0.10;

/// What was seen of others.
pub struct Noise {
    /// CPU time of all pieces by their wall time.
    share: f64,
    /// From the first to the ninth tenth of the pieces' CPU time, as a share of the first.
    spread: f64,
    /// Load average of the last minute.
    load: f64,
    processors: usize,
}

impl Noise {
    pub fn measure() -> Self {
        let processors = thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let average = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let load = average.split(' ').next().and_then(|first| first.parse().ok()).unwrap_or_default();
        let threads: Vec<_> = (0..processors).map(|_| thread::spawn(pieces)).collect();
        let mut pieces: Vec<(f64, f64)> =
            threads.into_iter().filter_map(|thread| thread.join().ok()).flatten().collect();
        pieces.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (cpu, wall) = pieces.iter().fold((0.0, 0.0), |sum, piece| (sum.0 + piece.0, sum.1 + piece.1));
        let tenth = |nth: usize| pieces[pieces.len() * nth / 10].0;
        Self { share: cpu / wall, spread: tenth(9) / tenth(1) - 1.0, load, processors }
    }

    /// The worse of two looks.
    pub fn and(&self, other: &Self) -> Self {
        Self {
            share: self.share.min(other.share),
            spread: self.spread.max(other.spread),
            // The second look comes after our own work, whose load is not others' noise.
            load: self.load,
            processors: self.processors,
        }
    }

    pub fn is_noisy(&self) -> bool {
        self.share < SHARE_MIN || self.spread > SPREAD_MAX
    }
}

/// CPU and wall time of each piece, in seconds.
fn pieces() -> Vec<(f64, f64)> {
    let piece = |_| {
        let cpu_before = thread_cpu();
        let ((), wall) = timed(|| {
            let mut state = black_box(1_u64);
            for _ in 0..STEPS {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            }
            black_box(state);
        });
        (thread_cpu().saturating_sub(cpu_before).as_secs_f64(), wall.as_secs_f64())
    };
    (0..PIECES).map(piece).collect()
}

impl fmt::Display for Noise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.is_noisy() {
            "The machine was noisy, and figures are worse for it"
        } else {
            "The machine was quiet"
        };
        write!(
            f,
            "{verdict}: a busy loop had {:.0} % of its processor, nine of ten rounds of it within {:.0} %; load before {:.2} \
             on {} processors.",
            self.share * 100.0,
            self.spread * 100.0,
            self.load,
            self.processors
        )
    }
}
