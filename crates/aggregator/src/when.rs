//! Moments in words, for people: UTC, because an operator's servers stand in many time zones.

use jiff::Timestamp;
use quorate_core::time::Moment;

/// `2026-11-30 14:02:07 UTC`.
pub fn date_and_time(at: Moment) -> String {
    words(at, "%Y-%m-%d %H:%M:%S UTC")
}

/// `14:02:07 UTC`.
pub fn time_of_day(at: Moment) -> String {
    words(at, "%H:%M:%S UTC")
}

/// `2026-11-30`.
pub fn day(at: Moment) -> String {
    words(at, "%Y-%m-%d")
}

/// `14:02 UTC`.
pub fn hour_and_minute(at: Moment) -> String {
    words(at, "%H:%M UTC")
}

fn words(at: Moment, format: &str) -> String {
    let ms = i64::try_from(at.as_ms()).expect("a moment has 48 bits");
    Timestamp::from_millisecond(ms).map_or_else(|_| format!("{ms} ms"), |moment| moment.strftime(format).to_string())
}
