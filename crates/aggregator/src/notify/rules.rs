//! Rules: which alarms go to which channels, and when a channel is left in peace.
//!
//! An alarm goes to a channel if at least one rule sends it there. Without any rule everything goes to every channel.

use std::sync::Arc;

use quorate_core::notify::{Gate, Pace, Severity, Topic};
use quorate_core::time::Moment;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::quiet::{Quiet, QuietEntry, severity};

/// Most rules.
pub const RULES_MAX: usize = 100;
/// Most words in one list of a rule.
const LIST_MAX: usize = 1_000;
/// Longest that messages wait for each other: what is told later than that is told too late.
const GROUPING_S_MAX: u32 = 600;
/// Longest that a subject is left in peace: a recovery waits for it.
const REST_S_MAX: u32 = 3600;

/// The rules as written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RulesEntry {
    /// How long what changed waits for what else changes, so that they are one message; 0 to 600 s, 20 when absent.
    #[serde(default = "grouping_s")]
    pub grouping_s: u32,
    /// How long a server, route or edge is left in peace after it was told of; 0 to 3,600 s, 60 when absent.
    #[serde(default = "rest_s")]
    pub rest_s: u32,
    /// The rules; none sends everything to every channel.
    #[serde(default)]
    pub rules: Vec<RuleEntry>,
}

fn grouping_s() -> u32 {
    Pace::default().grouping.as_secs() as u32
}

fn rest_s() -> u32 {
    Pace::default().rest.as_secs() as u32
}

impl Default for RulesEntry {
    fn default() -> Self {
        Self { grouping_s: grouping_s(), rest_s: rest_s(), rules: Vec::new() }
    }
}

/// One rule: what it is about, and where it goes. Lists that are empty leave nothing out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleEntry {
    /// `aggregator`, `route`, `country_cut`, `server_status`, `pair`, `half_blind`, `edge`, `plan_refused`, `certificate`,
    /// `session`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<String>,
    /// `info`, `warning` or `critical`: what is milder is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<String>,
    /// Servers. With countries or routes beside them: what is about any of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<String>,
    /// Countries of servers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub countries: Vec<String>,
    /// Routes, and servers that have an entry point in one of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub routes: Vec<String>,
    /// To which channels; to all when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub channels: Vec<String>,
    /// When this rule holds back what it would tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet: Option<QuietEntry>,
}

/// Why rules are refused, in one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{owner}: {field}: {problem}")]
pub struct RulesError {
    /// Which rule, counted from 1.
    pub owner: String,
    /// Where.
    pub field: &'static str,
    /// What was wrong, and what to do.
    pub problem: String,
}

/// What rules look at.
#[derive(Debug, Clone, Copy)]
pub struct Matter<'a> {
    /// What kind of thing.
    pub topic: Topic,
    /// How bad.
    pub severity: Severity,
    /// Whose.
    pub about: &'a About,
}

/// Whom something is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    /// Servers.
    pub servers: Vec<Arc<str>>,
    /// Countries.
    pub countries: Vec<Arc<str>>,
    /// Routes.
    pub routes: Vec<Arc<str>>,
}

/// The rules, checked.
#[derive(Debug, Clone)]
pub struct Rules(Vec<Rule>);

#[derive(Debug, Clone)]
struct Rule {
    topics: Vec<Topic>,
    at_least: Severity,
    servers: Vec<String>,
    countries: Vec<String>,
    routes: Vec<String>,
    channels: Vec<String>,
    quiet: Option<Quiet>,
}

impl RulesEntry {
    /// The rules, if they can be followed. `channels` are those that there are.
    pub fn checked(&self, channels: &[String]) -> Result<Rules, RulesError> {
        let refused = |owner: &str, field, problem: String| RulesError { owner: owner.to_owned(), field, problem };
        if self.grouping_s > GROUPING_S_MAX {
            return Err(refused("rules", "grouping_s", format!("use 0 to {GROUPING_S_MAX}")));
        }
        if self.rest_s > REST_S_MAX {
            return Err(refused("rules", "rest_s", format!("use 0 to {REST_S_MAX}")));
        }
        if self.rules.len() > RULES_MAX {
            return Err(refused("rules", "rules", format!("use at most {RULES_MAX}")));
        }
        let rules = (1..).zip(&self.rules).map(|(n, entry)| {
            let checked = Rule::checked(entry, channels);
            checked.map_err(|(field, problem)| refused(&format!("rule {n}"), field, problem))
        });
        Ok(Rules(rules.collect::<Result<_, _>>()?))
    }
}

impl Rule {
    fn checked(entry: &RuleEntry, known: &[String]) -> Result<Self, (&'static str, String)> {
        let lists = [
            ("events", &entry.events),
            ("servers", &entry.servers),
            ("countries", &entry.countries),
            ("routes", &entry.routes),
            ("channels", &entry.channels),
        ];
        if let Some((field, _)) = lists.iter().find(|(_, list)| list.len() > LIST_MAX) {
            return Err((field, format!("use at most {LIST_MAX}")));
        }
        let topic = |word: &String| {
            word.parse::<Topic>().map_err(|_| {
                let all: Vec<&str> = Topic::ALL.into_iter().map(Topic::as_str).collect();
                ("events", format!("'{word}' is none: use {}", all.join(", ")))
            })
        };
        let at_least = entry.at_least.as_deref().map_or(Ok(Severity::Info), |word| severity("at_least", word))?;
        if let Some(unknown) = entry.channels.iter().find(|channel| !known.contains(channel)) {
            return Err(("channels", format!("no channel is called '{unknown}': add it first")));
        }
        Ok(Self {
            topics: entry.events.iter().map(topic).collect::<Result<_, _>>()?,
            at_least,
            servers: entry.servers.clone(),
            countries: entry.countries.clone(),
            routes: entry.routes.clone(),
            channels: entry.channels.clone(),
            quiet: entry.quiet.as_ref().map(QuietEntry::checked).transpose()?,
        })
    }

    fn wants(&self, channel: &str, matter: &Matter<'_>) -> bool {
        let names_any =
            |wanted: &[String], found: &[Arc<str>]| wanted.iter().any(|id| found.iter().any(|f| **f == **id));
        let names_none = self.servers.is_empty() && self.countries.is_empty() && self.routes.is_empty();
        let is_about = names_none
            || names_any(&self.servers, &matter.about.servers)
            || names_any(&self.countries, &matter.about.countries)
            || names_any(&self.routes, &matter.about.routes);
        is_about
            && (self.channels.is_empty() || self.channels.iter().any(|id| id == channel))
            && (self.topics.is_empty() || self.topics.contains(&matter.topic))
            && matter.severity >= self.at_least
    }
}

impl Rules {
    /// Everything goes to every channel.
    pub fn all() -> Self {
        Self(Vec::new())
    }

    /// Whether a channel is told of a matter at `now`.
    pub fn gate(&self, channel: &str, matter: &Matter<'_>, now: Moment) -> Gate {
        if self.0.is_empty() {
            return Gate::Open;
        }
        let wanting = self.0.iter().filter(|rule| rule.wants(channel, matter));
        let gates = wanting.map(|rule| match &rule.quiet {
            Some(quiet) if quiet.holds_back(matter.severity, now) => Gate::Held,
            Some(_) | None => Gate::Open,
        });
        gates.fold(Gate::Unwanted, |all, gate| match (all, gate) {
            (Gate::Open, _) | (_, Gate::Open) => Gate::Open,
            (Gate::Held | Gate::Unwanted, Gate::Held) | (Gate::Held, Gate::Unwanted) => Gate::Held,
            (Gate::Unwanted, Gate::Unwanted) => Gate::Unwanted,
        })
    }
}

#[cfg(test)]
mod tests;
