//! A badge as JSON: R11's words as values and in English, how old they are, and for how long they may be shown.

use std::time::Duration;

use quorate_core::fleet::ServerIx;
use quorate_core::time::Moment;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::entry::Audience;
use super::stream::Told;
use crate::api::label::{self, Badge, LabelView};
use crate::engine::Snapshot;

/// What stands beside a server's name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BadgeView {
    /// Whose.
    pub server: String,
    /// Where it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    /// R11.
    pub status: String,
    /// R11's text, in English.
    pub text: String,
    /// What the text is made of.
    pub label: LabelView,
    /// What a pointer over the badge shows, in English. By a signed link it says no more than what the status means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Since when the status stands, Unix milliseconds.
    pub since_ms: u64,
    /// What was found is older than three intervals.
    pub stale: bool,
    /// When it was found.
    pub evaluated_at_ms: u64,
    /// For how long from this answer on it may be shown as the state of things, if no other comes; 0 when it is stale.
    pub fresh_for_ms: u64,
}

/// The badges of the servers of a route.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RouteBadges {
    /// The route.
    pub route: String,
    /// In the route's order.
    pub servers: Vec<BadgeView>,
}

impl BadgeView {
    /// The badge of a server as of a snapshot, read at `now`.
    pub fn of(snapshot: &Snapshot, ix: ServerIx, now: Moment, audience: Audience) -> Self {
        let server = snapshot.fleet.server(ix);
        let Badge { label, reason, stale } = audience.badge(snapshot, ix, now);
        Self {
            server: server.id.clone(),
            country: server.country.map(|country| country.to_string()),
            status: label.status().as_str().to_owned(),
            text: label.to_string(),
            label: LabelView::from(&label),
            reason,
            since_ms: snapshot.since.get(ix.at()).copied().unwrap_or_default().as_ms(),
            stale,
            evaluated_at_ms: snapshot.at.as_ms(),
            fresh_for_ms: whole_ms(label::fresh_for(snapshot.at, snapshot.policy.interval, now)),
        }
    }
}

impl Told for BadgeView {
    const EVENT: &'static str = "badge";

    fn timeless(&self) -> Self {
        Self { evaluated_at_ms: 0, fresh_for_ms: 0, ..self.clone() }
    }
}

impl Told for RouteBadges {
    const EVENT: &'static str = "badges";

    fn timeless(&self) -> Self {
        Self { route: self.route.clone(), servers: self.servers.iter().map(BadgeView::timeless).collect() }
    }
}

fn whole_ms(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}
