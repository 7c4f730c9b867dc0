//! R6, R10, R11 · What is said of a server as a whole: its status, what holds beside it, and what is clear of it.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Teller;
use crate::fleet::{Intent, ServerIx};
use crate::label::Unseen;
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
                let blind = Unseen::of(self.fleet, self.verdicts, ix);
                let all = match self.fleet.server(ix).entry_points.len() {
                    1 => String::new(),
                    many => format!(" That goes for all of its {many} entry points."),
                };
                self.say(&["R11"], format!("{id} is unreachable from your servers: {blind}.{all}"));
            }
            Status::Blocked => self.blocked_server(ix),
            Status::Degraded => {
                let own = &self.fleet.server(ix).entry_points;
                let lost = own
                    .iter()
                    .filter(|ix| matches!(self.entry_verdict(**ix).state(), State::Unreachable | State::Blocked))
                    .map(|ix| self.fleet.entry_point(*ix).id.clone());
                let lost: Vec<String> = lost.collect();
                let text = format!(
                    "{id} is partly unreachable: {}, {} of its {} entry points.",
                    words::names(&lost),
                    lost.len(),
                    own.len()
                );
                self.say(&["R11"], text);
            }
            Status::NoData => {
                let text = match verdict.last_report_at {
                    Some(last) => format!("its last report is of {}, more than {silence} ago", (self.when)(last)),
                    None => format!("it has never reported, and is awaited for more than {silence}"),
                };
                self.say(&["R6", "R11"], format!("There is no data from {id}: {text}."));
                let text = "While it is silent it has no vote, and nothing is taken out of a route for its silence alone. \
                            Its next report ends this.";
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
                let text = "two groups of them cannot see each other. So it is marked, and stays in its routes.";
                self.say(&["R8", "R11"], format!("Your servers disagree about {id}: {text}"));
            }
            Status::Marked => {
                let others = self.marking(ix);
                let text = match others.len() {
                    1 => "Whose address is blocked, if any, cannot be told from one pair",
                    _ => "These are too few for a verdict, and do not tell whose trouble it is",
                };
                let others = words::all_placed(self.fleet, others);
                let text = format!(
                    "The connection check of {id} fails from {others} alone. {text}, so nothing is taken out of a route."
                );
                self.say(&["R10", "R11"], text);
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
        if self.fleet.server(ix).intent == Intent::Drained {
            let text = "is drained by its operator: it is probed and has its vote, but a route delivers it only when it \
                        has no entry point of an active server left.";
            self.say(&["R16"], format!("{} {text}", self.fleet.server(ix).id));
        }
    }

    fn blocked_server(&mut self, ix: ServerIx) {
        let own = || self.fleet.server(ix).entry_points.iter().map(|ix| self.entry_verdict(*ix));
        let by: BTreeSet<ServerIx> = own().flat_map(|verdict| verdict.blocked_by.iter().copied()).collect();
        let (id, by) = (words::placed(self.fleet, ix), words::all_placed(self.fleet, by));
        let what = match own().filter(|verdict| verdict.blocked.is_empty()).count() {
            0 => "what it offers cannot be reached from there",
            _ => "some of what it offers cannot be reached from there, the rest not by a quorum of your servers",
        };
        self.say(&["R9", "R11"], format!("{id} is blocked, as seen from {by}: {what}."));
    }

    fn down(&mut self, ix: ServerIx) {
        let (id, verdict) = (words::placed(self.fleet, ix), self.server_verdict(ix));
        let last =
            verdict.last_report_at.map_or_else(String::new, |last| format!(", in its report of {}", (self.when)(last)));
        let text = format!(
            "{id} says itself that it is unavailable{last}: a service does not run, or none of its entry points \
             answers on the server itself. So it needs no accusation, and none decides about it."
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
                Status::Down => Some("the server says itself that it is unavailable".to_string()),
                // Said by the stronger of them, or not worth a word.
                Status::Disabled | Status::Ok | Status::Unreachable | Status::Blocked | Status::Degraded => None,
                Status::NoData => Some("the server is silent".to_string()),
                Status::Pending => Some("the server has not reported yet".to_string()),
                Status::Contested => Some("servers disagree about an entry point".to_string()),
                Status::Marked => {
                    let others = words::all_placed(self.fleet, self.marking(ix));
                    Some(format!("the connection check fails from {others} alone"))
                }
            })
            .collect();
        if verdict.status != Status::Disabled && !weaker.is_empty() {
            self.say(&["R11"], format!("Beside that, {}.", words::names(&weaker)));
        }
    }
}
