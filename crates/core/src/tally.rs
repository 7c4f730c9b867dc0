//! R5, R7 · The tally of one entry point: who accuses it, who vouches for it, and whose word does not count.
//!
//! It is the one thing that evaluation keeps between two passes, because it is the one thing whose cost grows with the
//! number of pairs. A tally stays true until a report touches its column, a witness gains or loses its vote, or the moment
//! `valid_until` has come.

use alloc::vec::Vec;
use core::time::Duration;

use crate::fleet::{EntryIx, Fleet, Intent, ServerIx, SiteIx};
use crate::ledger::Ledger;
use crate::policy::Policy;
use crate::presence::Presence;
use crate::streak::Word;
use crate::time::Moment;
use crate::verdict::{Accuser, Lapse};

/// Everybody's word on one entry point at one moment; every list is in the order of servers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Tally {
    /// Voters with a sustained pair; void votes (R9) are among them.
    pub accusers: Vec<Accuser>,
    /// R7.
    pub vouchers: Vec<ServerIx>,
    /// Sites of the vouchers, ascending.
    pub for_sites: Vec<SiteIx>,
    /// Sustained pairs of servers that may vouch but not vote on the lane.
    pub discarded: Vec<ServerIx>,
    /// Full series that are not the sustained pair of a voter, of servers not disabled (R14).
    pub lapsed: Vec<Lapse>,
    /// Whether there is any evidence, however old and whoever gave it.
    pub knocked: bool,
    /// The last moment at which all this still holds if nothing is reported.
    pub valid_until: Moment,
}

impl Tally {
    /// Whether it is the same but for how long it holds.
    pub fn says_the_same_as(&self, other: &Self) -> bool {
        let Self { accusers, vouchers, for_sites, discarded, lapsed, knocked, valid_until: _ } = self;
        (accusers, vouchers, for_sites) == (&other.accusers, &other.vouchers, &other.for_sites)
            && (discarded, lapsed, knocked) == (&other.discarded, &other.lapsed, &other.knocked)
    }

    pub fn vouches(&self, witness: ServerIx) -> bool {
        self.vouchers.binary_search(&witness).is_ok()
    }
}

/// Counts the words on one entry point. Nobody speaks about a disabled server.
pub(crate) fn tally(
    fleet: &Fleet,
    policy: &Policy,
    ledger: &Ledger,
    presence: &[Presence],
    entry_point: EntryIx,
    now: Moment,
) -> Tally {
    let mut tally = Tally { valid_until: Moment::MAX, ..Tally::default() };
    if fleet.owner(entry_point).intent == Intent::Disabled {
        return tally;
    }
    let lane = fleet.entry_point(entry_point).lane;
    for (witness, pair) in ledger.pairs(entry_point) {
        let (Some(last), witness_presence) = (pair.last_evidence_at(), &presence[witness.at()]) else { continue };
        tally.knocked = true;
        let mut ends_after = |span: Duration| {
            let end = last.after(span);
            if end >= now {
                tally.valid_until = tally.valid_until.min(end);
            }
        };
        let word = pair.word(policy, now);
        match word {
            Word::Sees => {
                ends_after(policy.stale_after);
                if witness_presence.may_vouch {
                    tally.vouchers.push(witness);
                }
                continue;
            }
            Word::Sustained => ends_after(policy.stale_after),
            Word::Unknown if !pair.has_full_series(policy) => continue,
            Word::Unknown => {}
        }
        ends_after(policy.hold_for);
        let (since, streak) = (pair.first_failed_at().unwrap_or(last), pair.streak());
        if word == Word::Sustained && witness_presence.votes_on.contains(lane) {
            tally.accusers.push(Accuser { witness, since, streak });
        } else if fleet.server(witness).intent != Intent::Disabled {
            if word == Word::Sustained && witness_presence.may_vouch {
                tally.discarded.push(witness);
            }
            let within_hold = pair.is_within(policy.hold_for, now);
            tally.lapsed.push(Lapse { witness, since, streak, last_evidence_at: last, within_hold });
        }
    }
    tally.for_sites = sites(fleet, tally.vouchers.iter().copied());
    tally
}

/// The sites of some servers, ascending, each once.
pub(crate) fn sites(fleet: &Fleet, servers: impl Iterator<Item = ServerIx>) -> Vec<SiteIx> {
    let mut sites: Vec<SiteIx> = servers.map(|server| fleet.server(server).site).collect();
    sites.sort_unstable();
    sites.dedup();
    sites
}
