//! R6 · Silence and self-report: who is there, who is down by its own word, and whose vote counts on which lane.

use alloc::vec::Vec;
use core::time::Duration;

use crate::fleet::{Fleet, Intent};
use crate::lane::{Lane, LaneSet};
use crate::ledger::{Ledger, ServerState};
use crate::policy::Policy;
use crate::report::Health;
use crate::time::Moment;

/// One server at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "they are independent of each other: each is a rule's own word")]
pub(crate) struct Presence {
    /// Not heard of for longer than `stale_after`, our own pauses not counted.
    pub silent: bool,
    /// By its own last word, for at most `hold_for`.
    pub down: bool,
    /// Whether it ever reported.
    pub heard: bool,
    /// Whether its successes count: active or drained, and not silent (R7).
    pub may_vouch: bool,
    /// Lanes on which its failures count too.
    pub votes_on: LaneSet,
}

/// All servers at `now`, by index.
pub(crate) fn all(fleet: &Fleet, policy: &Policy, ledger: &Ledger, now: Moment) -> Vec<Presence> {
    let servers = fleet.servers().iter().zip(&ledger.servers);
    servers.map(|(server, state)| presence(policy, ledger.evaluation_started_at, server.intent, state, now)).collect()
}

fn presence(policy: &Policy, started_at: Moment, intent: Intent, state: &ServerState, now: Moment) -> Presence {
    let silent = now.since(heard_until(started_at, state)) > policy.stale_after;
    let heard = state.last_report_at.is_some();
    let may_vouch = intent != Intent::Disabled && !silent;
    let credible = Lane::ALL.into_iter().filter(|lane| !state.round[lane.index()].discredited);
    Presence {
        silent,
        down: state.is_down(policy, now),
        heard,
        may_vouch,
        votes_on: if may_vouch && heard { credible.collect() } else { LaneSet::EMPTY },
    }
}

/// Until when silence is no news: its last report, and no earlier than this aggregator could have had one.
fn heard_until(started_at: Moment, state: &ServerState) -> Moment {
    let listened_since = started_at.max(state.added_at);
    state.last_report_at.map_or(listened_since, |last| last.max(listened_since))
}

/// The first moment after `now` at which time alone changes a server's presence.
pub(crate) fn changes_at(policy: &Policy, ledger: &Ledger, now: Moment) -> Moment {
    let one = Duration::from_millis(1);
    let ends = ledger.servers.iter().flat_map(|state| {
        let silence = heard_until(ledger.evaluation_started_at, state).after(policy.stale_after).after(one);
        let down = state.last_report_at.map(|last| last.after(policy.hold_for).after(one));
        [Some(silence), down.filter(|_| state.health == Health::Down)]
    });
    ends.flatten().filter(|end| *end > now).min().unwrap_or(Moment::MAX)
}

#[cfg(test)]
mod tests;
