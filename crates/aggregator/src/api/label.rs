//! R11 · What stands on a badge: core's text of the status, the reason that a pointer over it shows, and whether it is old.
//!
//! Pure: a snapshot and a moment in, text out. Every badge and table of the API takes its words from here.

mod view;

use std::collections::BTreeSet;
use std::time::Duration;

use quorate_core::fleet::{Intent, ServerIx};
use quorate_core::label::{self, Label};
use quorate_core::time::Moment;
use quorate_core::verdict::Status;

use crate::engine::Snapshot;
use crate::when;
pub use view::{CountryUnseen, LabelView};

/// A badge's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Badge {
    /// What it says, R11.
    pub label: Label,
    /// More of it: who, since when, what to do. None where there is nothing to say.
    pub reason: Option<String>,
    /// Older than three intervals: it says what was, not what is.
    pub stale: bool,
}

impl Badge {
    /// The English text with the word that tells of its age.
    pub fn shown(&self) -> String {
        if self.stale { format!("{} (stale)", self.label) } else { self.label.to_string() }
    }
}

/// Intervals after which a text is called stale: one lost round is everyday, three are none.
const STALE_INTERVALS: u32 = 3;

/// The badge of a server as of a snapshot, read at `now`.
pub fn badge(snapshot: &Snapshot, server: ServerIx, now: Moment) -> Badge {
    let label = label::badge(&snapshot.fleet, &snapshot.verdicts, server);
    Badge {
        reason: reason(snapshot, server, label.status()),
        label,
        stale: is_stale(snapshot.at, snapshot.policy.interval, now),
    }
}

/// The same for people who do not run the fleet: what the status means, and nothing of its agent or of other servers.
pub fn public_badge(snapshot: &Snapshot, server: ServerIx, now: Moment) -> Badge {
    let badge = badge(snapshot, server, now);
    Badge { reason: reason_of_status(snapshot, server, badge.label.status()), ..badge }
}

/// Whether what was found at `at` is too old to be shown as the state of things.
pub fn is_stale(at: Moment, interval: Duration, now: Moment) -> bool {
    now.since(at) > interval * STALE_INTERVALS
}

/// For how much longer what was found at `at` may be shown as the state of things.
pub fn fresh_for(at: Moment, interval: Duration, now: Moment) -> Duration {
    (interval * STALE_INTERVALS).saturating_sub(now.since(at))
}

/// R11's text of one condition of a server.
pub fn text(snapshot: &Snapshot, server: ServerIx, condition: Status) -> String {
    label::condition(&snapshot.fleet, &snapshot.verdicts, server, condition).to_string()
}

/// What the status does not say by itself, and what does not show in it.
fn reason(snapshot: &Snapshot, server: ServerIx, status: Status) -> Option<String> {
    let of_status = reason_of_status(snapshot, server, status);
    let refusal = snapshot.refusal(server).map(|refusal| format!("its agent refuses the plan: {}", refusal.reason));
    let half_blind = half_blind(snapshot, server).filter(|_| status == Status::Ok);
    let all: Vec<String> = of_status.into_iter().chain(half_blind).chain(refusal).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

fn reason_of_status(snapshot: &Snapshot, server: ServerIx, status: Status) -> Option<String> {
    let what = of_status(snapshot, server, status)?;
    Some(match snapshot.since.get(server.at()) {
        Some(since) => format!("{what}; since {}", when::date_and_time(*since)),
        None => what,
    })
}

fn of_status(snapshot: &Snapshot, server: ServerIx, status: Status) -> Option<String> {
    let verdict = &snapshot.verdicts.servers[server.at()];
    let heard = verdict.last_report_at.is_some();
    let what = match status {
        Status::Disabled => "disabled by you: neither probed nor delivered",
        Status::Down => "it says so itself: a service, or its own entry points, do not work",
        Status::Unreachable if verdict.silent => "it sends no data either: it may be off",
        Status::Unreachable if !heard => "it has not reported yet: it may be off",
        Status::Unreachable => "its own report says it is well: the trouble is on the way to it",
        Status::Blocked if verdict.silent || !heard => "its address is blocked there, or it is off: it sends no data",
        Status::Blocked => "its own report says it is well: change its address",
        Status::Degraded => "its other entry points can be used",
        Status::NoData => "its agent does not report",
        Status::Pending => "enrol it, or start its agent",
        Status::Contested => "two groups of servers accuse each other: nothing is removed for it",
        Status::Marked => return Some(marked(snapshot, server)),
        Status::Ok if snapshot.fleet.server(server).intent == Intent::Drained => {
            "drained by you: delivered only where no active server is left"
        }
        Status::Ok => return None,
    };
    Some(what.to_owned())
}

/// R10: a pair, or a few, are no verdict.
fn marked(snapshot: &Snapshot, server: ServerIx) -> String {
    let own = snapshot.fleet.server(server).entry_points.iter();
    let marks = own.flat_map(|ix| snapshot.verdicts.entry_points[ix.at()].marks.iter());
    let witnesses: BTreeSet<ServerIx> = marks.map(|mark| mark.witness).collect();
    match witnesses.len() {
        1 => "a single pair is broken: nothing is removed for it".to_owned(),
        many => format!("{many} pairs are broken, too few for a verdict: nothing is removed for it"),
    }
}

/// R10: said once, about the witness.
fn half_blind(snapshot: &Snapshot, server: ServerIx) -> Option<String> {
    let half_blind = snapshot.verdicts.servers[server.at()].half_blind.as_ref()?;
    Some(format!("as a witness it cannot see {} of {} servers", half_blind.unseen.len(), half_blind.judged))
}
