//! What `cargo xtask bench` reads: a JSON line for each figure.

use std::time::Duration;

use serde_json::json;

/// Prints one. A name may come again, once for each repetition.
pub fn figure(name: &str, value: f64, version: &str) {
    println!("{}", json!({ "name": name, "value": value, "version": version }));
}

/// One of processor time, in microseconds.
pub fn span(name: &str, span: Duration, version: &str) {
    figure(name, span.as_secs_f64() * 1e6, version);
}

/// One of something that is counted.
#[allow(clippy::cast_precision_loss, reason = "nothing that is counted here comes near 2^52")]
pub fn count(name: &str, count: u64, version: &str) {
    figure(name, count as f64, version);
}
