//! How sure a figure is: quantiles of what may never have ended, and 95 % intervals.
//!
//! A share of independent cases has an exact interval (Clopper and Pearson, "The use of confidence or fiducial limits
//! illustrated in the case of the binomial", Biometrika 26, 1934). Everything else is drawn anew from the runs (Efron,
//! "Bootstrap methods: another look at the jackknife", Annals of Statistics 7, 1979): whole runs, since what happens within
//! one hangs together, [`RESAMPLES`] times, and the middle 95 % of what comes out is the interval. The draws are the same for
//! everybody and on every machine, so the same runs give the same interval.
//!
//! Runs of which none saw an event cannot be drawn to one. There the interval of a count ends at [`NONE_SEEN`] events, the
//! exact Poisson bound.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Draws of an interval: its ends are the 25th and the 975th, which another thousand moves by little beside their distance.
pub const RESAMPLES: usize = 1000;

/// As many events would stay unseen once in forty times: −ln 0.025.
pub const NONE_SEEN: f64 = 3.688_879_454_113_936;

/// Once in forty times on each side.
const TAIL: f64 = 0.025;

/// A figure and the interval that holds it 95 times in 100. Infinite is what did not happen within its run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The figure of the runs that were made.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// The smallest of the ascending values that at least `share` of all are not above: the nearest rank, never a value between
/// two that were seen. `None` of nothing.
pub fn quantile(ascending: &[f64], share: f64) -> Option<f64> {
    let rank = rank(ascending.len() as u64, share)?;
    ascending.get(rank as usize - 1).copied()
}

/// Which one it is, counted from 1. A share such as 0.95 is no exact number: the rank of 95 in 100 is 95, not 96.
#[allow(clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "counts far below 2^52")]
fn rank(of: u64, share: f64) -> Option<u64> {
    (of > 0).then(|| (((of as f64 * share) - 1e-9).ceil() as u64).clamp(1, of))
}

/// `hits` of `cases` that have nothing to do with one another, exactly. `None` of no cases.
#[allow(clippy::cast_precision_loss, reason = "counts far below 2^52")]
pub fn share(hits: u64, cases: u64) -> Option<Estimate> {
    if cases == 0 {
        return None;
    }
    let low = if hits == 0 { 0.0 } else { crossing(|p| 1.0 - binomial_at_most(hits - 1, cases, p) < TAIL) };
    let high = if hits >= cases { 1.0 } else { crossing(|p| binomial_at_most(hits, cases, p) > TAIL) };
    Some(Estimate { value: hits as f64 / cases as f64, low, high })
}

/// Where `still` ends to hold between 0 and 1.
fn crossing(still: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if still(middle) { low = middle } else { high = middle }
    }
    low
}

/// The probability of at most `hits` in `cases` at `p` each. In logarithms, since (1 − p)^cases is soon too small to be held.
#[allow(clippy::cast_precision_loss, reason = "counts far below 2^52")]
fn binomial_at_most(hits: u64, cases: u64, p: f64) -> f64 {
    if p <= 0.0 {
        return 1.0;
    }
    if p >= 1.0 {
        return if hits >= cases { 1.0 } else { 0.0 };
    }
    let (on, off) = (p.ln(), (1.0 - p).ln());
    let mut ways = 0.0;
    let mut sum = 0.0;
    for hit in 0..=hits.min(cases) {
        if hit > 0 {
            ways += ((cases - hit + 1) as f64).ln() - (hit as f64).ln();
        }
        sum += (ways + hit as f64 * on + (cases - hit) as f64 * off).exp();
    }
    sum.min(1.0)
}

/// What happened in the runs for each unit of what they had: `parts` and `wholes` by run. `None` if there was nothing of
/// which it could be a part.
pub fn ratio(parts: &[f64], wholes: &[f64]) -> Option<Estimate> {
    let whole: f64 = wholes.iter().sum();
    if whole <= 0.0 {
        return None;
    }
    let of = |weights: &[u16]| {
        let sum = |numbers: &[f64]| -> f64 { numbers.iter().zip(weights).map(|(x, w)| x * f64::from(*w)).sum() };
        sum(parts) / sum(wholes)
    };
    let (low, high) = interval(parts.len(), of);
    Some(Estimate { value: parts.iter().sum::<f64>() / whole, low, high })
}

/// [`ratio`] of events that are counted: if there was none, its interval still has an upper end.
pub fn rate(events: &[f64], wholes: &[f64]) -> Option<Estimate> {
    let estimate = ratio(events, wholes)?;
    let none = events.iter().all(|count| *count == 0.0);
    Some(if none { Estimate { high: NONE_SEEN / wholes.iter().sum::<f64>(), ..estimate } } else { estimate })
}

/// The quantile of everything that the runs measured; what never ended is infinite. `None` if nothing was measured.
pub fn quantile_of_runs(runs: &[Vec<f64>], q: f64) -> Option<Estimate> {
    let mut all: Vec<(f64, usize)> = Vec::new();
    for (run, measured) in runs.iter().enumerate() {
        all.extend(measured.iter().map(|value| (*value, run)));
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let value = weighted_quantile(&all, q, &vec![1; runs.len()])?;
    let (low, high) = interval(runs.len(), |weights| weighted_quantile(&all, q, weights).unwrap_or(f64::NAN));
    Some(Estimate { value, low, high })
}

fn weighted_quantile(ascending: &[(f64, usize)], q: f64, weights: &[u16]) -> Option<f64> {
    let count = ascending.iter().map(|(_, run)| u64::from(weights[*run])).sum();
    let rank = rank(count, q)?;
    let mut passed = 0;
    for (value, run) in ascending {
        passed += u64::from(weights[*run]);
        if passed >= rank {
            return Some(*value);
        }
    }
    None
}

/// The middle 95 % of a figure over draws of `runs` runs. A draw in which the figure is not defined is left out.
fn interval(runs: usize, figure: impl Fn(&[u16]) -> f64) -> (f64, f64) {
    let draws = draws(runs);
    let mut figures: Vec<f64> = draws.chunks_exact(runs.max(1)).map(figure).filter(|figure| !figure.is_nan()).collect();
    figures.sort_by(f64::total_cmp);
    let end = |share| quantile(&figures, share).unwrap_or(f64::NAN);
    (end(TAIL), end(1.0 - TAIL))
}

/// How often each run is drawn, draw after draw. Kept, since hundreds of figures ask for the same.
fn draws(runs: usize) -> Arc<Vec<u16>> {
    static KEPT: Mutex<BTreeMap<usize, Arc<Vec<u16>>>> = Mutex::new(BTreeMap::new());
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let drawn = kept.entry(runs).or_insert_with(|| {
        let mut mix = SplitMix(0x51_07_A7);
        let mut weights = vec![0; runs * RESAMPLES];
        for draw in weights.chunks_exact_mut(runs.max(1)) {
            for _ in 0..runs {
                draw[mix.below(runs as u64) as usize] += 1;
            }
        }
        Arc::new(weights)
    });
    Arc::clone(drawn)
}

/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014. Good enough to draw runs by, and a
/// few lines.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests;
