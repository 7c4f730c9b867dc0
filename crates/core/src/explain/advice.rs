//! What a person may do about it. Advice is given only where the evidence tells whose trouble it is: a broken pair does
//! not.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Teller;
use crate::fleet::{EntryIx, ServerIx};
use crate::verdict::{Accord, Scope, State, Status};
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
                    format!(
                        "What to do: look on {id} itself: start the service that does not run; where it runs and an entry \
                         point fails, mend what is declared for that (sni, verify)."
                    ),
                );
            }
            Status::Unreachable => {
                let what = format!(
                    "look at what stops it {}: a network that blocks its address (a new address gets past that), its \
                     provider, its own firewall",
                    self.on_the_way(ix)
                );
                self.lost(ix, &what);
            }
            Status::Blocked => self.lost(ix, "change its address"),
            Status::Degraded => {
                let own = &self.fleet.server(ix).entry_points;
                let what = if own.iter().any(|ix| self.entry_verdict(*ix).state() == State::Blocked) {
                    "change the address or port of what is lost".to_string()
                } else {
                    format!(
                        "look at what stops it {}: a network that blocks that protocol or port, its own firewall",
                        self.on_the_way(ix)
                    )
                };
                self.lost(ix, &what);
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
        self.see_to_its_sight(ix);
    }

    /// "on the way from RU", where the verdict holds in some countries.
    fn on_the_way(&self, ix: ServerIx) -> String {
        let own = &self.fleet.server(ix).entry_points;
        let scopes: BTreeSet<Scope> =
            own.iter().flat_map(|ix| self.entry_verdict(*ix).unreachable.iter().copied()).collect();
        let countries: Vec<String> = scopes
            .into_iter()
            .filter_map(|scope| match scope {
                Scope::Country(country) => Some(country.to_string()),
                Scope::Fleet => None,
            })
            .collect();
        if countries.is_empty() {
            "on the way".to_string()
        } else {
            format!("on the way from {}", words::names(&countries))
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
        let text = if self.fleet.server(ix).entry_points.iter().any(seen) {
            format!(
                "Your other servers still reach {id}, so the server runs. What to do: look at the agent on {id}: whether \
                 it runs, and whether it reaches the aggregator."
            )
        } else {
            format!(
                "Nobody reaches {id} either, so it may also be off. What to do: look whether it runs; if it does, whether \
                 its agent runs and reaches the aggregator."
            )
        };
        self.say(&["R6"], text);
    }

    /// Names both sides of each pair, and says no more than is known.
    fn broken(&mut self, ix: ServerIx) {
        let server = self.fleet.server(ix);
        let others = self.marking(ix);
        let (one, list) = (others.len() == 1, words::all_placed(self.fleet, others.iter().copied()));
        let (id, or) = (words::placed(self.fleet, ix), if one { "or" } else { "or any of" });
        let mut text = format!("Whether {id} {or} {list} is blocked cannot be told from so little.");
        // A word that is trusted already and did not decide will not decide by being trusted.
        if !server.verifier && !others.iter().any(|other| self.fleet.server(*other).verifier) {
            text.push_str(
                " What to do: if you can vouch for one of them, make it a verifier: its word on a single pair then \
                 decides.",
            );
        }
        self.say(&["R9", "R10"], text);
        self.apart(ix);
    }

    /// Accusers of one site that would be a quorum if they were not one vote.
    fn apart(&mut self, ix: ServerIx) {
        let own = &self.fleet.server(ix).entry_points;
        let would_do = |ix: &&EntryIx| {
            let verdict = self.entry_verdict(**ix);
            let (one_by_one, by_site) = (verdict.accusers.len(), verdict.against_sites.len());
            verdict.accord == Accord::None && one_by_one >= self.policy.quorum as usize && by_site < one_by_one
        };
        let sharing = own.iter().filter(would_do).flat_map(|ix| self.sharing(*ix)).map(|(_, servers)| servers);
        let sharing: BTreeSet<Vec<ServerIx>> = sharing.collect();
        for servers in sharing {
            let Some(last) = servers.last().map(|last| self.fleet.server(*last).id.clone()) else { continue };
            let text = format!(
                "If {} do not stand in one place and fail apart from each other, give each a site, and so a vote, of its \
                 own: `quorate-aggregator server set {last} --site NAME`.",
                words::all_placed(self.fleet, servers)
            );
            self.say(&["R7"], text);
        }
    }
}
