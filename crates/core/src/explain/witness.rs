//! R3, R10, R12 · What a server's own word is worth, and the closed borders that it stands at.

use alloc::format;

use super::Teller;
use crate::fleet::ServerIx;
use crate::words;

impl Teller<'_> {
    /// R3, R10: what its own word is worth.
    pub(super) fn as_witness(&mut self, ix: ServerIx) {
        let (id, verdict) = (&self.fleet.server(ix).id, self.server_verdict(ix));
        for lane in verdict.discredited.iter() {
            let sight = verdict.sight[lane.index()];
            let text = format!(
                "As a witness {id} is not believed on {lane}: in its last round it saw {} of {} living servers there, \
                 less than {} of them. What fails for it there is taken for its own trouble until it sees enough again; \
                 what it reaches still counts.",
                sight.seen,
                sight.neighbours,
                words::percent(self.policy.witness_floor)
            );
            self.say(&["R3"], text);
        }
        if let Some(half_blind) = &verdict.half_blind {
            let text = format!(
                "As a witness {id} is half-blind: it cannot see {} of the {} servers it judges, more than {} of them: \
                 {}. That is said once here, not as a mark on each of them; its votes still count.",
                half_blind.unseen.len(),
                half_blind.judged,
                words::percent(self.policy.half_blind_share),
                words::all_placed(self.fleet, half_blind.unseen.iter().copied())
            );
            self.say(&["R10"], text);
        }
    }

    /// R12: closed borders that it stands at, on either side.
    pub(super) fn country_cuts(&mut self, ix: ServerIx) {
        let id = &self.fleet.server(ix).id;
        for cut in &self.verdicts.cuts {
            let witnesses = words::all_placed(self.fleet, cut.witnesses.iter().copied());
            let (country, lane) = (cut.country, cut.lane);
            if cut.targets.binary_search(&ix).is_ok() {
                let text = format!(
                    "{country} is cut off from {id} and from at least half of what its servers look at on {lane}: \
                     {witnesses} lost sight of it at once, and no server of {country} sees it there. That alone changes \
                     no status, but users of {country} are offered it after others, and what these witnesses had found \
                     about it does not lapse while the cut lasts."
                );
                self.say(&["R12", "R14", "R18"], text);
            }
            if cut.witnesses.binary_search(&ix).is_ok() {
                let targets = words::all_placed(self.fleet, cut.targets.iter().copied());
                let text = format!(
                    "{country}, where {id} stands, is cut off on {lane} from {targets}: {witnesses} lost sight of them \
                     at once."
                );
                self.say(&["R12"], text);
            }
        }
    }

    /// What to do where a server sees too little, unless a closed border says why.
    pub(super) fn see_to_its_sight(&mut self, ix: ServerIx) {
        let (id, verdict) = (&self.fleet.server(ix).id, self.server_verdict(ix));
        let at_a_border = self.verdicts.cuts.iter().any(|cut| cut.witnesses.binary_search(&ix).is_ok());
        let sees_too_little = verdict.half_blind.is_some() || !verdict.discredited.is_empty();
        if sees_too_little && !at_a_border && !verdict.silent {
            let text = format!(
                "What to do if {id} goes on seeing so little: look at its own way out, at its firewall, its provider, \
                 and at whether the network it stands in blocks what it dials."
            );
            self.say(&["R3", "R10"], text);
        }
    }
}
