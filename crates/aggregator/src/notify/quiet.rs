//! Quiet hours: when people sleep, by the clock on their wall.
//!
//! What is held back is told at their end if it still stands; what came and went meanwhile is in the events.

use jiff::Timestamp;
use jiff::civil::{Time, Weekday};
use jiff::tz::TimeZone;
use quorate_core::notify::Severity;
use quorate_core::time::Moment;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Quiet hours as written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QuietEntry {
    /// From this time of day on, like `22:00`.
    pub from: String,
    /// Until this one; a time before `from` is that of the next day.
    pub to: String,
    /// The time zone, like `Europe/Bucharest`.
    pub zone: String,
    /// Days on which they begin: `mon`, `tue`, `wed`, `thu`, `fri`, `sat`, `sun`; every day when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub days: Vec<String>,
    /// What is this bad is told all the same; `critical` when absent, `never` for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub except: Option<String>,
}

/// Quiet hours, checked.
#[derive(Debug, Clone)]
pub struct Quiet {
    from: Time,
    to: Time,
    zone: TimeZone,
    days: Vec<Weekday>,
    /// None: nothing is bad enough.
    except: Option<Severity>,
}

const DAYS: [(&str, Weekday); 7] = [
    ("mon", Weekday::Monday),
    ("tue", Weekday::Tuesday),
    ("wed", Weekday::Wednesday),
    ("thu", Weekday::Thursday),
    ("fri", Weekday::Friday),
    ("sat", Weekday::Saturday),
    ("sun", Weekday::Sunday),
];

impl QuietEntry {
    /// The hours, if such there are.
    pub fn checked(&self) -> Result<Quiet, (&'static str, String)> {
        let time = |field, text: &str| {
            let refused = || (field, format!("'{text}' is no time of day: use 00:00 to 23:59"));
            Time::strptime("%H:%M", text).map_err(|_| refused())
        };
        let (from, to) = (time("quiet.from", &self.from)?, time("quiet.to", &self.to)?);
        if from == to {
            return Err(("quiet.to", "it is the same as quiet.from: give another one".to_owned()));
        }
        let zone = TimeZone::get(&self.zone).map_err(|_| {
            ("quiet.zone", format!("no time zone is called '{}': use a name like Europe/Bucharest", self.zone))
        })?;
        let day = |word: &String| {
            let found = DAYS.into_iter().find(|(name, _)| name == word).map(|(_, day)| day);
            found.ok_or_else(|| ("quiet.days", format!("'{word}' is no day: use mon, tue, wed, thu, fri, sat, sun")))
        };
        let except = match self.except.as_deref() {
            None => Some(Severity::Critical),
            Some("never") => None,
            Some(word) => Some(severity("quiet.except", word)?),
        };
        Ok(Quiet { from, to, zone, days: self.days.iter().map(day).collect::<Result<_, _>>()?, except })
    }
}

impl Quiet {
    /// Whether something this bad waits at `now`.
    pub fn holds_back(&self, severity: Severity, now: Moment) -> bool {
        self.except.is_none_or(|except| severity < except) && self.are_at(now)
    }

    fn are_at(&self, now: Moment) -> bool {
        let ms = i64::try_from(now.as_ms()).expect("a moment has 48 bits");
        let Ok(now) = Timestamp::from_millisecond(ms) else { return false };
        let local = self.zone.to_datetime(now);
        let (time, today) = (local.time(), local.date().weekday());
        let begins_on = |day: Weekday| self.days.is_empty() || self.days.contains(&day);
        if self.from < self.to {
            time >= self.from && time < self.to && begins_on(today)
        } else {
            // Over midnight: the evening belongs to today's hours, the morning to yesterday's.
            time >= self.from && begins_on(today) || time < self.to && begins_on(today.previous())
        }
    }
}

#[cfg(test)]
mod tests;

/// A severity by its word.
pub(super) fn severity(field: &'static str, word: &str) -> Result<Severity, (&'static str, String)> {
    word.parse().map_err(|_| (field, format!("'{word}' is none: use info, warning or critical")))
}
