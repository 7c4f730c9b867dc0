//! R3, R6, R10, R11, R12 · What is said of a server as a whole: its status, and its worth as a witness.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Teller;
use crate::fleet::{EntryIx, ServerIx};
use crate::label::Blind;
use crate::verdict::{State, Status};
use crate::words;

impl Teller<'_> {
    /// R11: the status, and what else holds beside it.
    pub(super) fn status(&mut self, ix: ServerIx) {
        let (id, verdict) = (words::placed(self.fleet, ix), self.server_verdict(ix));
        let silence = words::span(self.policy.stale_after);
        match verdict.status {
            Status::Disabled => {
                let text =
                    "is disabled by its operator: it is not probed, has no vote, and nothing of it is delivered.";
                self.say(&["R11"], format!("{id} {text}"));
            }
            Status::Down => self.down(ix),
            Status::Unreachable => {
                let blind = Blind::of(self.fleet, self.verdicts, ix).text(self.fleet);
                let text = format!("{id} is unreachable from your servers: {blind}, and that goes for all it offers.");
                self.say(&["R11"], text);
            }
            Status::Blocked => {
                let text = "is blocked: whatever it offers is out of reach for a server whose word you trust, or for a \
                            quorum of all.";
                self.say(&["R9", "R11"], format!("{id} {text}"));
            }
            Status::Degraded => {
                let own = &self.fleet.server(ix).entry_points;
                let lost = own
                    .iter()
                    .filter(|ix| matches!(self.entry_verdict(**ix).state(), State::Unreachable | State::Blocked))
                    .count();
                let text = format!("{id} is partly unreachable: {lost} of its {} entry points.", own.len());
                self.say(&["R11"], text);
            }
            Status::NoData => {
                let text = match verdict.last_report_at {
                    Some(last) => format!("its last report is of {}, more than {silence} ago", (self.when)(last)),
                    None => format!("it has never reported, and is awaited for more than {silence}"),
                };
                self.say(&["R6", "R11"], format!("There is no data from {id}: {text}."));
                let text = "Its silence accuses nobody and changes no route; while it lasts the server has no vote. Its next report ends it.";
                self.say(&["R6", "R15"], text.to_string());
            }
            Status::Pending => {
                let text = format!(
                    "{id} has not reported yet. It has no vote until it does; after {silence} of silence this becomes \
                     \"no data\"."
                );
                self.say(&["R6", "R11"], text);
            }
            Status::Contested => {
                let text = "servers accuse it, and are accused themselves. It is marked, and stays in its routes.";
                self.say(&["R8", "R11"], format!("Your servers disagree about {id}: {text}"));
            }
            Status::Marked => {
                let text = "fails for single pairs of servers. That does not tell whose address is blocked, so nothing \
                            is taken out of a route.";
                self.say(&["R10", "R11"], format!("The connection check of {id} {text}"));
            }
            Status::Ok => {
                let own = &self.fleet.server(ix).entry_points;
                if own.iter().any(|ix| self.entry_verdict(*ix).cut_off) {
                    self.say(&["R11", "R13"], format!("{id} is OK itself, but not what it forwards to."));
                } else {
                    self.say(&["R11"], format!("{id} is OK: nothing stands against it."));
                }
            }
        }
        self.beside(ix);
    }

    fn down(&mut self, ix: ServerIx) {
        let (id, verdict) = (words::placed(self.fleet, ix), self.server_verdict(ix));
        let last =
            verdict.last_report_at.map_or_else(String::new, |last| format!(", in its report of {}", (self.when)(last)));
        let text = format!(
            "{id} says so itself that it is unavailable{last}: a service does not run, or none of its entry points \
             answers on the server itself. So nobody's accusation decides about it."
        );
        self.say(&["R6", "R7", "R11"], text);
        let hold = words::span(self.policy.hold_for);
        let text = format!(
            "Its entry points are delivered only where a route has nothing better. Its next healthy report lifts that; \
             without any report it ends {hold} after the last one."
        );
        self.say(&["R6", "R15", "R16"], text);
    }

    /// Conditions that a stronger one outranks.
    fn beside(&mut self, ix: ServerIx) {
        let verdict = self.server_verdict(ix);
        let weaker: Vec<String> = verdict.conditions[1..]
            .iter()
            .filter_map(|status| match status {
                Status::Down => Some("the server says so itself that it is unavailable"),
                // Said by the stronger of them, or not worth a word.
                Status::Disabled | Status::Ok | Status::Unreachable | Status::Blocked | Status::Degraded => None,
                Status::NoData => Some("the server is silent"),
                Status::Pending => Some("the server has not reported yet"),
                Status::Contested => Some("servers disagree about an entry point"),
                Status::Marked => Some("the connection check fails for a single pair"),
            })
            .map(String::from)
            .collect();
        if verdict.status != Status::Disabled && !weaker.is_empty() {
            self.say(&["R11"], format!("Beside that, {}.", words::names(&weaker)));
        }
    }

    /// An entry point of which there is no more to say.
    pub(super) fn clear(&mut self, ix: EntryIx) {
        let (id, verdict) = (&self.fleet.entry_point(ix).id, self.entry_verdict(ix));
        let text = match verdict.vouchers.len() {
            0 => format!("{id} is clear: nobody says that it fails, though nobody has reached it lately."),
            1 => format!("{id} is clear: one server reaches it, and nobody says that it fails."),
            many => format!("{id} is clear: {many} servers reach it, and nobody says that it fails."),
        };
        self.say(&["R7"], text);
    }

    /// R3, R10: what its own word is worth.
    pub(super) fn as_witness(&mut self, ix: ServerIx) {
        let (id, verdict) = (&self.fleet.server(ix).id, self.server_verdict(ix));
        for lane in verdict.discredited.iter() {
            let sight = verdict.sight[lane.index()];
            let text = format!(
                "As a witness {id} is not believed on {lane}: in its last round it saw {} of {} living servers there, \
                 less than {} of them. What fails for it there is taken for its own trouble, until it sees enough again; what it reaches still counts.",
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
                     no status, but users of {country} are offered it after others, and verdicts of these witnesses \
                     on it do not lapse while the cut lasts."
                );
                self.say(&["R12", "R14", "R18"], text);
            }
            if cut.witnesses.binary_search(&ix).is_ok() {
                let targets = words::all_placed(self.fleet, cut.targets.iter().copied());
                let text =
                    format!("On {lane} {country}, where {id} stands, is cut off from {targets}, as {witnesses} tell.");
                self.say(&["R12"], text);
            }
        }
    }
}
