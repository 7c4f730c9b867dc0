//! A plan that is refused, or taken up after all: kept beside the server's status, and told once each.

use std::collections::VecDeque;

use quorate_core::time::Moment;

use super::task::Task;
use crate::event::{Event, Kind};

impl Task {
    /// Keeps a refusal, and tells of it.
    pub(super) async fn plan_refused(&mut self, server: String, reason: String, now: Moment) {
        let told = format!("Its agent refuses the plan and probes nothing by it: {reason}.");
        self.refusals.note(&server, self.issued.version(), reason, now);
        self.tell(VecDeque::from([of_session(server, None, Some("plan_refused"), told)]), now).await;
    }

    /// A server's report follows a plan, which may be the one that its agent had refused.
    pub(super) async fn plan_followed(&mut self, server: &str, version: u64, observed_at: Moment) {
        if self.refusals.followed(server, version, observed_at) {
            let told = "Its agent has taken up the plan.".to_owned();
            let event = of_session(server.to_owned(), Some("plan_refused"), Some("plan_taken_up"), told);
            self.tell(VecDeque::from([event]), self.clock.now()).await;
        }
    }
}

/// What happens between an agent and its aggregator; the engine numbers and dates it.
fn of_session(server: String, from: Option<&str>, to: Option<&str>, reason: String) -> Event {
    let (from, to) = (from.map(str::to_owned), to.map(str::to_owned));
    Event { id: 0, at_ms: 0, kind: Kind::Session.as_str().to_owned(), subject: server, from, to, reason }
}
