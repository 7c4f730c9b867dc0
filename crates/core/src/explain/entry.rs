//! R7 to R9, R13, R14 · What is said of an entry point: its state, how it came to it, and what would lift it.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Teller;
use crate::fleet::{EntryIx, Intent, ServerIx};
use crate::verdict::{Accord, Lapse, State, Status};
use crate::words;

impl Teller<'_> {
    /// All about one entry point of a server that is not disabled.
    pub(super) fn entry(&mut self, ix: EntryIx) {
        if !self.has_evidence(ix) {
            self.clear(ix);
            return;
        }
        self.state(ix);
        self.accusers(ix);
        self.held(ix);
        self.vouchers(ix);
        self.count(ix);
        self.accord(ix);
        self.blocked(ix);
        self.uncounted(ix);
        self.marks(ix);
        self.cut_off(ix);
        self.lifting(ix);
    }

    /// An entry point of which there is no more to say.
    fn clear(&mut self, ix: EntryIx) {
        let (id, verdict) = (&self.fleet.entry_point(ix).id, self.entry_verdict(ix));
        let text = match verdict.vouchers.len() {
            0 if !verdict.knocked => {
                format!("Nobody has knocked on {id} yet, or no knock has told anything: nothing is known of it.")
            }
            0 => format!("{id} is clear: nobody accuses it, though nobody has reached it lately either."),
            1 => format!("{id} is clear: one server reaches it, and nobody accuses it."),
            many => format!("{id} is clear: {many} servers reach it, and nobody accuses it."),
        };
        self.say(&["R7"], text);
    }

    /// The state with its reason in short: also what an event says of it.
    fn state(&mut self, ix: EntryIx) {
        let (id, verdict) = (&self.fleet.entry_point(ix).id, self.entry_verdict(ix));
        let accusers = verdict.accusers.iter().map(|accuser| accuser.witness);
        let against: BTreeSet<ServerIx> = accusers.chain(verdict.held.iter().copied()).collect();
        let against = || words::all_placed(self.fleet, against.iter().copied());
        match verdict.state() {
            State::Down => {
                self.say(&["R6", "R7"], format!("{id} is down with its server; no accusation can add to that."));
            }
            State::Unreachable => {
                let places = words::scopes(&verdict.unreachable);
                self.say(&["R7", "R8"], format!("{id} is unreachable {places}: {} cannot reach it.", against()));
            }
            State::Blocked => {
                let by = words::all_placed(self.fleet, verdict.blocked_by.iter().copied());
                let places = words::scopes(&verdict.blocked);
                self.say(&["R9"], format!("{id} is blocked {places}: {by}, whose word you trust, cannot reach it."));
            }
            State::CutOff => {
                self.say(&["R13"], format!("{id} is cut off: none of the servers it forwards to can be used."));
            }
            State::Contested => {
                let text = format!("{id} is contested: {} cannot reach it, and are accused themselves.", against());
                self.say(&["R8"], text);
            }
            State::PairBroken => {
                let by = words::all_placed(self.fleet, verdict.marks.iter().map(|mark| mark.witness));
                let few = if verdict.marks.len() == 1 { "a broken pair" } else { "broken pairs" };
                self.say(&["R10"], format!("{id} has {few}: {by} cannot reach it."));
            }
            State::Clear => {
                let seen = verdict.vouchers.len();
                let text =
                    format!("{id} is clear: no verdict and no mark stands against it, and {seen} servers reach it.");
                self.say(&["R7"], text.replace(" 1 servers reach", " one server reaches"));
            }
        }
    }

    /// R8: how a quorum was decided.
    fn accord(&mut self, ix: EntryIx) {
        let verdict = self.entry_verdict(ix);
        let accused = |server: ServerIx| {
            let own = &self.fleet.server(server).entry_points;
            own.iter().any(|ix| self.entry_verdict(*ix).accord != Accord::None)
        };
        let accusers = || verdict.accusers.iter().map(|accuser| accuser.witness);
        match verdict.accord {
            Accord::None => {}
            Accord::Outside => {
                let free: Vec<ServerIx> = accusers().filter(|server| !accused(*server)).collect();
                let doubtful: Vec<ServerIx> = accusers().filter(|server| accused(*server)).collect();
                if !doubtful.is_empty() {
                    let text = format!(
                        "Accused by a quorum themselves: {}. The others are a quorum without them: {}.",
                        words::all_placed(self.fleet, doubtful),
                        words::all_placed(self.fleet, free)
                    );
                    self.say(&["R8"], text);
                }
            }
            Accord::Coherent => {
                let country = self.coherent_countries(ix);
                let text = format!(
                    "Some of its accusers are accused themselves, but nobody in {country} can reach it and none of its \
                     accusers is out of a whole country's reach: that is how a block looks."
                );
                self.say(&["R8"], text);
            }
            Accord::Explained => {
                let lost: Vec<ServerIx> = accusers().filter(|server| self.is_lost(*server)).collect();
                let text = format!(
                    "There is a quorum against it only together with {}, which are unreachable themselves: their own \
                     trouble explains what they say, so this is no verdict.",
                    words::all_placed(self.fleet, lost)
                );
                self.say(&["R8"], text);
            }
            Accord::Contested => {
                let others: Vec<ServerIx> = accusers().filter(|server| accused(*server)).collect();
                let text = format!(
                    "There is a quorum against it, but there is one against {} as well, who say so: neither group is \
                     clearly the blocked one. So it is marked, and not removed.",
                    words::all_placed(self.fleet, others.iter().copied())
                );
                self.say(&["R8"], text);
                self.sides(&others);
            }
        }
    }

    /// R8: who accuses whom, where it is two sides: `others`, and whoever is contested by their word.
    fn sides(&mut self, others: &[ServerIx]) {
        let by_them = |ix: &EntryIx| {
            let verdict = self.entry_verdict(*ix);
            verdict.accord == Accord::Contested
                && verdict.accusers.iter().any(|accuser| others.contains(&accuser.witness))
        };
        let ours: Vec<ServerIx> =
            self.fleet.server_ixs().filter(|ix| self.fleet.server(*ix).entry_points.iter().any(by_them)).collect();
        if ours.iter().all(|server| !others.contains(server)) {
            let text = format!(
                "The sides that accuse each other: {} | {}.",
                words::all_placed(self.fleet, ours),
                words::all_placed(self.fleet, others.iter().copied())
            );
            self.say(&["R8"], text);
        }
    }

    fn is_lost(&self, server: ServerIx) -> bool {
        let own = &self.fleet.server(server).entry_points;
        own.iter().any(|ix| matches!(self.entry_verdict(*ix).accord, Accord::Outside | Accord::Coherent))
    }

    /// R9.
    fn blocked(&mut self, ix: EntryIx) {
        let verdict = self.entry_verdict(ix);
        if verdict.blocked.is_empty() {
            return;
        }
        let by = words::all_placed(self.fleet, verdict.blocked_by.iter().copied());
        let (are, their) =
            if verdict.blocked_by.len() == 1 { ("is a verifier", "its") } else { ("are verifiers", "their") };
        let places = words::scopes(&verdict.blocked);
        let too =
            if verdict.unreachable.is_empty() { String::new() } else { format!("It is blocked, too, {places}: ") };
        let text = format!(
            "{too}{by} {are}, so {their} word on a single pair is enough, unless another verifier of the same country \
             reaches it."
        );
        self.say(&["R9"], text);
    }

    /// R13.
    fn cut_off(&mut self, ix: EntryIx) {
        if !self.entry_verdict(ix).cut_off {
            return;
        }
        let here = self.fleet.entry_point(ix).server;
        let upstreams = self.fleet.entry_point(ix).upstreams.iter();
        let hops: Vec<String> = upstreams.map(|to| self.dead_hop(here, *to)).collect();
        self.say(&["R13"], format!("What it forwards to: {}.", words::names(&hops)));
    }

    fn dead_hop(&self, from: ServerIx, to: ServerIx) -> String {
        let (id, verdict) = (words::placed(self.fleet, to), self.server_verdict(to));
        let own = &self.fleet.server(to).entry_points;
        let accused =
            own.iter().any(|ix| self.entry_verdict(*ix).accusers.iter().any(|accuser| accuser.witness == from));
        let why = if self.fleet.server(to).intent == Intent::Disabled {
            String::from("is disabled")
        } else if verdict.down {
            String::from("is down")
        } else if own.iter().all(|ix| self.entry_verdict(*ix).cut_off) {
            String::from("is cut off itself")
        } else if verdict.conditions.contains(&Status::Unreachable) && !accused {
            format!("is unreachable, and {} does not see it", self.fleet.server(from).id)
        } else {
            format!("is out of sight for {}", self.fleet.server(from).id)
        };
        format!("{id} {why}")
    }

    /// R14: what would lift it.
    fn lifting(&mut self, ix: EntryIx) {
        let verdict = self.entry_verdict(ix);
        let silence = self.through_silence(ix);
        match verdict.state() {
            State::Unreachable => self.say(
                &["R4", "R14"],
                format!(
                    "What lifts it: each server that reaches it again takes back its vote, and the verdict ends as soon as \
                     too few are left. {silence}"
                ),
            ),
            State::Blocked => self.say(
                &["R4", "R14"],
                format!(
                    "What lifts it: one successful probe by {}, or by another verifier of the same country. {silence}",
                    words::all_placed(self.fleet, verdict.blocked_by.iter().copied())
                ),
            ),
            State::Contested => {
                let text = "What lifts it: that the servers see each other again, or that one group turns out to be the \
                            blocked one.";
                self.say(&["R4", "R8"], text.to_string());
            }
            State::PairBroken => {
                let by = words::all_placed(self.fleet, verdict.marks.iter().map(|mark| mark.witness));
                let each = if verdict.marks.len() == 1 { "" } else { "each of " };
                self.say(&["R4", "R10"], format!("What lifts it: one successful probe by {each}{by}."));
            }
            State::CutOff => self.say(&["R13"], "What lifts it: one usable server behind it.".to_string()),
            State::Down | State::Clear => {}
        }
    }

    /// R14: how long silence keeps a verdict.
    fn through_silence(&self, ix: EntryIx) -> String {
        let verdict = self.entry_verdict(ix);
        let by_a_cut = |lapse: &Lapse| !lapse.within_hold && verdict.held.contains(&lapse.witness);
        if verdict.lapsed.iter().any(by_a_cut) {
            return String::from("Without news it stays while the country cut lasts.");
        }
        format!("Without news it stays for {} after the last failure.", words::span(self.policy.hold_for))
    }
}
