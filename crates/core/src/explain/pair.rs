//! R10 · Broken pairs: who is marked for whom, and which accusations leave no mark.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;

use super::Teller;
use crate::fleet::{EntryIx, ServerIx};
use crate::verdict::{Accord, Mark};
use crate::words;

impl Teller<'_> {
    /// Everybody who is named in a mark on one of a server's entry points.
    pub(super) fn marking(&self, ix: ServerIx) -> BTreeSet<ServerIx> {
        let own = &self.fleet.server(ix).entry_points;
        own.iter().flat_map(|ix| self.entry_verdict(*ix).marks.iter().map(|mark| mark.witness)).collect()
    }

    /// Marks, and accusations that leave none.
    pub(super) fn marks(&mut self, ix: EntryIx) {
        let (target, verdict) = (self.fleet.entry_point(ix).server, self.entry_verdict(ix));
        let id = &self.fleet.server(target).id;
        let (both_ways, one_way): (Vec<Mark>, Vec<Mark>) = verdict.marks.iter().partition(|mark| mark.mutual);
        if !both_ways.is_empty() {
            let others = words::all_placed(self.fleet, both_ways.into_iter().map(|mark| mark.witness));
            let text = format!("Broken both ways: {others} and {id} cannot see each other, and carry a mark each.");
            self.say(&["R10"], text);
        }
        if !one_way.is_empty() {
            let them = if one_way.len() == 1 { "it" } else { "them" };
            let others = words::all_placed(self.fleet, one_way.into_iter().map(|mark| mark.witness));
            let text = format!(
                "Broken one way: {others} cannot reach {id}, but {id} does not accuse {them}. The side that is not \
                 reached carries the mark."
            );
            self.say(&["R10"], text);
        }
        self.unmarked(ix);
    }

    fn unmarked(&mut self, ix: EntryIx) {
        let verdict = self.entry_verdict(ix);
        let undecided = !verdict.down && matches!(verdict.accord, Accord::None | Accord::Explained);
        if !undecided || !verdict.unreachable.is_empty() || !verdict.blocked.is_empty() {
            return;
        }
        let unmarked: Vec<ServerIx> = verdict
            .accusers
            .iter()
            .map(|accuser| accuser.witness)
            .filter(|witness| verdict.marks.iter().all(|mark| mark.witness != *witness))
            .collect();
        let half_blind = |witness: &ServerIx| self.server_verdict(*witness).half_blind.is_some();
        let blamed = |witness: &ServerIx| {
            let own = &self.fleet.server(*witness).entry_points;
            own.iter().any(|ix| {
                let verdict = self.entry_verdict(*ix);
                !verdict.unreachable.is_empty() || !verdict.blocked.is_empty()
            })
        };
        let blamed: Vec<ServerIx> = unmarked.iter().copied().filter(blamed).collect();
        let half_blind: Vec<ServerIx> = unmarked.into_iter().filter(|w| half_blind(w) && !blamed.contains(w)).collect();
        if !blamed.is_empty() {
            let blamed = words::all_placed(self.fleet, blamed);
            let text = format!("No mark because of {blamed}: what is unreachable or blocked itself marks nobody.");
            self.say(&["R10"], text);
        }
        if !half_blind.is_empty() {
            let half_blind = words::all_placed(self.fleet, half_blind);
            let text =
                format!("No mark because of {half_blind}: that it is half-blind is said once, about the witness.");
            self.say(&["R10"], text);
        }
    }
}
