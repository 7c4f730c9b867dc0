//! R11 · Status of a server: the strongest word that applies, and all the others beside it.

use alloc::vec::Vec;

use crate::fleet::{Intent, Server};
use crate::presence::Presence;
use crate::verdict::{Accord, EntryVerdict, Status};

/// All words that apply to a server, strongest first; never empty.
pub(crate) fn conditions(server: &Server, presence: Presence, entry_points: &[EntryVerdict]) -> Vec<Status> {
    let own = || server.entry_points.iter().map(|ix| &entry_points[ix.at()]);
    let unreachable = |verdict: &EntryVerdict| !verdict.unreachable.is_empty();
    let blocked = |verdict: &EntryVerdict| !verdict.blocked.is_empty();
    let lost = |verdict: &EntryVerdict| unreachable(verdict) || blocked(verdict);
    let applies = |status: Status| match status {
        Status::Disabled => server.intent == Intent::Disabled,
        Status::Down => presence.down,
        Status::Unreachable => own().all(unreachable),
        Status::Blocked => own().all(lost) && own().any(blocked),
        Status::Degraded => own().any(lost),
        Status::NoData => presence.silent,
        Status::Pending => !presence.silent && !presence.heard,
        Status::Contested => own().any(|verdict| verdict.accord == Accord::Contested),
        Status::Marked => own().any(|verdict| !verdict.marks.is_empty()),
        Status::Ok => true,
    };
    let mut found: Vec<Status> = Status::ALL.into_iter().filter(|status| applies(*status)).collect();
    if found.len() > 1 {
        found.pop();
    }
    found
}

#[cfg(test)]
mod tests;
