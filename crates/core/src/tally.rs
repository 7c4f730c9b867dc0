//! R5, R7 · The tally of one entry point: who accuses it, who vouches for it, and whose word does not count.
//!
//! It is the one thing that evaluation keeps between two passes, because it is the one thing whose cost grows with the
//! number of pairs. A tally stays true until a report touches its column, a witness gains or loses its vote, or the moment
//! `valid_until` has come.

use alloc::vec;
use alloc::vec::Vec;

use crate::fleet::{EntryIx, Fleet, Intent, ServerIx};
use crate::ledger::{Ledger, Row};
use crate::policy::Policy;
use crate::presence::Presence;
use crate::servers::Servers;
use crate::streak::{Pair, Word};
use crate::time::Moment;
use crate::verdict::{Accuser, Lapse};

/// Everybody's word on one entry point at one moment; every list is in the order of servers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Tally {
    /// Voters with a sustained pair; void votes (R9) are among them.
    pub accusers: Vec<Accuser>,
    /// R7.
    pub vouchers: Servers,
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
        let Self { accusers, vouchers, discarded, lapsed, knocked, valid_until: _ } = self;
        (accusers, vouchers, discarded) == (&other.accusers, &other.vouchers, &other.discarded)
            && (lapsed, knocked) == (&other.lapsed, &other.knocked)
    }

    pub fn vouches(&self, witness: ServerIx) -> bool {
        self.vouchers.contains(witness)
    }
}

/// What a look for one pair costs beside walking past one.
const LOOK_COST: usize = 8;
/// The place of an entry point that is not asked about.
const NOWHERE: u32 = u32::MAX;

/// Counts the words on some entry points, which are ascending; the tallies are parallel to them. Nobody speaks about a
/// disabled server.
pub(crate) fn tallies(
    fleet: &Fleet,
    policy: &Policy,
    ledger: &Ledger,
    presence: &[Presence],
    entry_points: &[EntryIx],
    now: Moment,
) -> Vec<Tally> {
    let pairs: usize = ledger.rows.iter().map(Row::len).sum();
    let mut counts: Vec<Count> = entry_points.iter().map(|_| Count::new()).collect();
    let told = Told { fleet, policy, fresh_since: now.before(policy.stale_after), now };
    // Rows are walked in the order of witnesses, so every list comes out in that order.
    let rows = fleet.server_ixs().zip(presence).zip(&ledger.rows);
    if entry_points.len() * ledger.rows.len() * LOOK_COST < pairs {
        for ((witness, presence), row) in rows {
            for (ix, count) in entry_points.iter().zip(&mut counts) {
                told.hear(count, *ix, witness, *presence, row.get(*ix));
            }
        }
    } else {
        let mut places = vec![NOWHERE; fleet.entry_points().len()];
        for (ix, place) in entry_points.iter().zip(0..) {
            places[ix.at()] = place;
        }
        for ((witness, presence), row) in rows {
            for (ix, pair) in row.iter() {
                if let Some(count) = counts.get_mut(places[ix.at()] as usize) {
                    told.hear(count, ix, witness, *presence, pair);
                }
            }
        }
    }
    let tallies = entry_points.iter().zip(counts).map(|(ix, count)| {
        let nobody_speaks = fleet.owner(*ix).intent == Intent::Disabled;
        if nobody_speaks { Count::new().tally(policy) } else { count.tally(policy) }
    });
    tallies.collect()
}

/// A tally that is being counted. In a mesh that is well most words are "sees": what they touch lies together.
struct Count {
    vouchers: Servers,
    /// When the oldest fresh success was observed.
    oldest_success: Moment,
    /// All else.
    failures: Tally,
}

impl Count {
    fn new() -> Self {
        Self {
            vouchers: Servers::default(),
            oldest_success: Moment::MAX,
            failures: Tally { valid_until: Moment::MAX, ..Tally::default() },
        }
    }

    fn tally(self, policy: &Policy) -> Tally {
        let Self { vouchers, oldest_success, failures } = self;
        Tally {
            vouchers,
            knocked: failures.knocked || oldest_success < Moment::MAX,
            valid_until: failures.valid_until.min(oldest_success.after(policy.stale_after)),
            ..failures
        }
    }
}

/// What everybody tells, heard under one policy at one moment.
struct Told<'a> {
    fleet: &'a Fleet,
    policy: &'a Policy,
    fresh_since: Moment,
    now: Moment,
}

impl Told<'_> {
    fn hear(&self, count: &mut Count, entry_point: EntryIx, witness: ServerIx, presence: Presence, pair: Pair) {
        match pair.last_evidence_at() {
            Some(last) if pair.streak() == 0 && last >= self.fresh_since => {
                count.oldest_success = count.oldest_success.min(last);
                if presence.may_vouch {
                    count.vouchers.push(witness);
                }
            }
            Some(last) => self.hear_failures(&mut count.failures, entry_point, witness, presence, pair, last),
            None => {}
        }
    }

    /// A pair with evidence that is no fresh success.
    #[inline(never)]
    fn hear_failures(
        &self,
        tally: &mut Tally,
        entry_point: EntryIx,
        witness: ServerIx,
        presence: Presence,
        pair: Pair,
        last: Moment,
    ) {
        let Self { fleet, policy, now, .. } = *self;
        tally.knocked = true;
        if !pair.has_full_series(policy) {
            return;
        }
        let is_sustained = pair.word(policy, now) == Word::Sustained;
        for span in [policy.stale_after, policy.hold_for] {
            let end = last.after(span);
            if end >= now {
                tally.valid_until = tally.valid_until.min(end);
            }
        }
        let (since, streak) = (pair.first_failed_at().unwrap_or(last), pair.streak());
        if is_sustained && presence.votes_on.contains(fleet.entry_point(entry_point).lane) {
            tally.accusers.push(Accuser { witness, since, streak });
        } else if fleet.server(witness).intent != Intent::Disabled {
            if is_sustained && presence.may_vouch {
                tally.discarded.push(witness);
            }
            let within_hold = pair.is_within(policy.hold_for, now);
            tally.lapsed.push(Lapse { witness, since, streak, last_evidence_at: last, within_hold });
        }
    }
}
