//! What a person may do about it. Advice is given only where the evidence tells whose trouble it is: a broken pair does
//! not.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Teller;
use crate::fleet::{EntryIx, ServerIx};
use crate::verdict::{State, Status};
use crate::words;

impl Teller<'_> {
    /// What to do about a server.
    pub(super) fn advice(&mut self, ix: ServerIx) {
        let (id, verdict) = (self.fleet.server(ix).id.clone(), self.server_verdict(ix));
        match verdict.status {
            Status::Disabled => {
                self.say(&["R11"], format!("What to do: set {id} to active or drained when it shall take part again."));
            }
            Status::Down => {
                self.say(
                    &["R6"],
                    format!("What to do: look at the services on {id} itself; the agent's self-check names them."),
                );
            }
            Status::Unreachable => {
                self.lost(ix, "look for what stops it there: a block by a network, the provider, a firewall");
            }
            Status::Blocked => self.lost(ix, "change its address"),
            Status::Degraded => {
                let blocked = self
                    .fleet
                    .server(ix)
                    .entry_points
                    .iter()
                    .any(|ix| self.entry_verdict(*ix).state() == State::Blocked);
                let what = if blocked {
                    "change the address or port of what is lost"
                } else {
                    "look for what stops it there: a block of that protocol or port, a firewall"
                };
                self.lost(ix, what);
            }
            Status::NoData => self.no_data(ix),
            Status::Pending => {
                self.say(
                    &["R6"],
                    format!("What to do: start the agent on {id}, and enrol it if that was not done yet."),
                );
            }
            Status::Contested => {
                let text = "What to do: look at the network between the two groups. A verifier among your servers would \
                            decide it.";
                self.say(&["R8", "R9"], text.to_string());
            }
            Status::Marked => self.broken(ix),
            Status::Ok => {}
        }
    }

    /// A verdict from outside: what the server itself says decides what it is worth to do.
    fn lost(&mut self, ix: ServerIx, what: &str) {
        let (id, verdict) = (&self.fleet.server(ix).id, self.server_verdict(ix));
        let text = match (verdict.silent, verdict.last_report_at) {
            (false, Some(last)) => format!(
                "{id} itself reports that it is well, last at {}: the trouble is on the way to it. What to do: {what}.",
                (self.when)(last)
            ),
            (false, None) => {
                format!("{id} has not reported yet, so it may also be off. What to do: start its agent first.")
            }
            (true, _) => {
                format!("{id} is silent, so it may also be off. What to do: look whether it runs; if it does, {what}.")
            }
        };
        self.say(&["R6", "R9"], text);
    }

    fn no_data(&mut self, ix: ServerIx) {
        let id = &self.fleet.server(ix).id;
        let seen = |ix: &EntryIx| !self.entry_verdict(*ix).vouchers.is_empty();
        let runs = if self.fleet.server(ix).entry_points.iter().any(seen) {
            format!("Your other servers still reach {id}, so the server runs. ")
        } else {
            String::new()
        };
        let text = format!(
            "{runs}What to do: look at the agent on {id}: whether it runs, and whether it reaches the aggregator."
        );
        self.say(&["R6"], text);
    }

    /// Names both sides of each pair, and says no more than is known.
    fn broken(&mut self, ix: ServerIx) {
        let own = &self.fleet.server(ix).entry_points;
        let mut others: Vec<ServerIx> =
            own.iter().flat_map(|ix| self.entry_verdict(*ix).marks.iter().map(|mark| mark.witness)).collect();
        others.sort_unstable();
        others.dedup();
        let text = format!(
            "Whether {} or {} is blocked cannot be told from a single pair. If you can vouch for one of them, make it a \
             verifier: its word on a single pair then decides.",
            words::placed(self.fleet, ix),
            words::all_placed(self.fleet, others)
        );
        self.say(&["R9", "R10"], text);
    }
}
