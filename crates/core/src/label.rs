//! R11 · The words on a badge: the status of a server in one short line, with the numbers behind it.
//!
//! A badge is read by people who never saw the rules, next to a server's name; it names no address and promises nothing.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::fleet::{EntryIx, Fleet, Server, ServerIx};
use crate::verdict::{EntryVerdict, Scope, Scopes, Status, Verdicts};
use crate::words;

/// More names than these do not fit beside a server's name.
const NAMES_MAX: usize = 3;

/// The text of the badge of a server.
pub fn badge(fleet: &Fleet, verdicts: &Verdicts, ix: ServerIx) -> String {
    condition(fleet, verdicts, ix, verdicts.servers[ix.at()].status)
}

/// The text that the badge of a server would have if `status` were the strongest of the conditions that hold.
pub fn condition(fleet: &Fleet, verdicts: &Verdicts, ix: ServerIx, status: Status) -> String {
    let server = fleet.server(ix);
    match status {
        Status::Disabled => String::from("Disabled"),
        Status::Down => String::from("Server unavailable"),
        Status::Unreachable => format!("Unreachable from your servers: {}", Blind::of(fleet, verdicts, ix).text(fleet)),
        Status::Blocked => format!("Address blocked, as seen from {}", verifiers(fleet, verdicts, server)),
        Status::Degraded => format!("Partly unreachable: {}", lost(fleet, verdicts, server)),
        Status::NoData => String::from("No data from the server"),
        Status::Pending => String::from("Waiting for the first report"),
        Status::Contested => String::from("Servers disagree"),
        Status::Marked => format!("Connection check fails: {}", broken_pairs(fleet, verdicts, ix)),
        Status::Ok => String::from("OK"),
    }
}

/// Who of those that gave evidence on a server cannot see any of it.
pub(crate) struct Blind {
    /// They accuse, or their earlier accusation still holds, and they see none of its entry points.
    pub cannot_see: BTreeSet<ServerIx>,
    /// They see at least one.
    pub see: BTreeSet<ServerIx>,
    scopes: Scopes,
}

impl Blind {
    pub fn of(fleet: &Fleet, verdicts: &Verdicts, ix: ServerIx) -> Self {
        let own: Vec<&EntryVerdict> = own(verdicts, fleet.server(ix)).map(|(_, verdict)| verdict).collect();
        let see: BTreeSet<ServerIx> = own.iter().flat_map(|verdict| verdict.vouchers.iter().copied()).collect();
        let accusing = own.iter().flat_map(|verdict| {
            verdict.accusers.iter().map(|accuser| accuser.witness).chain(verdict.held.iter().copied())
        });
        let cannot_see = accusing.filter(|witness| !see.contains(witness)).collect();
        let scopes = own.iter().flat_map(|verdict| verdict.unreachable.iter().copied()).collect();
        Self { cannot_see, see, scopes }
    }

    /// "3 of 7 cannot see it (RU 3/3)": the countries are those in which the verdict holds.
    pub fn text(&self, fleet: &Fleet) -> String {
        if self.cannot_see.is_empty() {
            // Each entry point is lost to servers that see another one.
            return String::from("each of its entry points is out of sight for too many");
        }
        let asked = self.cannot_see.len() + self.see.len();
        let total = format!("{} of {asked} cannot see it", self.cannot_see.len());
        let countries: Vec<String> = self
            .scopes
            .iter()
            .filter_map(|scope| match scope {
                Scope::Fleet => None,
                Scope::Country(country) => {
                    let within = |server: &&ServerIx| fleet.server(**server).country == Some(*country);
                    let blind = self.cannot_see.iter().filter(within).count();
                    Some(format!("{country} {blind}/{}", blind + self.see.iter().filter(within).count()))
                }
            })
            .collect();
        if countries.is_empty() { total } else { format!("{total} ({})", countries.join(", ")) }
    }
}

fn own<'a>(verdicts: &'a Verdicts, server: &'a Server) -> impl Iterator<Item = (EntryIx, &'a EntryVerdict)> {
    server.entry_points.iter().map(|ix| (*ix, &verdicts.entry_points[ix.at()]))
}

fn verifiers(fleet: &Fleet, verdicts: &Verdicts, server: &Server) -> String {
    let verifiers: BTreeSet<ServerIx> =
        own(verdicts, server).flat_map(|(_, verdict)| verdict.blocked_by.iter().copied()).collect();
    let ids: Vec<String> = verifiers.into_iter().map(|ix| fleet.server(ix).id.clone()).collect();
    words::list(&ids, NAMES_MAX)
}

fn lost(fleet: &Fleet, verdicts: &Verdicts, server: &Server) -> String {
    let lost = own(verdicts, server)
        .filter(|(_, verdict)| !verdict.unreachable.is_empty() || !verdict.blocked.is_empty())
        .map(|(ix, _)| fleet.entry_point(ix).id.clone());
    words::list(&lost.collect::<Vec<_>>(), NAMES_MAX)
}

/// Both servers of each pair, in the order of ids, so that both badges of a pair say the same.
fn broken_pairs(fleet: &Fleet, verdicts: &Verdicts, ix: ServerIx) -> String {
    let marks = own(verdicts, fleet.server(ix)).flat_map(|(_, verdict)| verdict.marks.iter());
    let pairs: BTreeSet<(ServerIx, ServerIx)> =
        marks.map(|mark| (mark.witness.min(ix), mark.witness.max(ix))).collect();
    let pair = |(a, b): &(ServerIx, ServerIx)| format!("{} and {}", fleet.server(*a).id, fleet.server(*b).id);
    let pairs: Vec<String> = pairs.iter().map(pair).collect();
    match pairs.split_at_checked(NAMES_MAX) {
        Some((shown, rest)) if !rest.is_empty() => format!("{}; and {} more", shown.join("; "), rest.len()),
        _ => pairs.join("; "),
    }
}

#[cfg(test)]
mod tests;
