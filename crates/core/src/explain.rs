//! Explanations: why a server or an entry point is as it is, in sentences for somebody who never saw the rules.
//!
//! Everything said here is read off the verdicts and their evidence; nothing is decided. A sentence names the rules that
//! it rests on. Moments are put into words by the caller, who knows the epoch and the reader's time zone.

use alloc::string::String;
use alloc::vec::Vec;
use core::{fmt, mem};

use crate::fleet::{EntryIx, Fleet, Intent, ServerIx};
use crate::policy::Policy;
use crate::time::Moment;
use crate::verdict::{EntryVerdict, ServerVerdict, Status, Verdicts};

mod advice;
mod count;
mod entry;
mod evidence;
mod pair;
mod server;
mod witness;

/// One sentence of an explanation, or a few that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// What is to be said, with its full stop.
    pub text: String,
    /// The rules it rests on, like `R7`.
    pub rules: &'static [&'static str],
}

impl fmt::Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        if self.rules.is_empty() { Ok(()) } else { write!(f, " [{}]", self.rules.join(", ")) }
    }
}

/// Why something is as it is, and what a person may do about it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Explanation {
    /// What was found, the most important first.
    pub findings: Vec<Sentence>,
    /// What to do; empty where there is nothing to do.
    pub advice: Vec<Sentence>,
}

impl Explanation {
    /// All of it, in the order in which it is to be read.
    pub fn sentences(&self) -> impl Iterator<Item = &Sentence> {
        self.findings.iter().chain(&self.advice)
    }
}

/// How a moment is put into words; must read well after "since" and "of", like `12:03:10` or `second 90`.
pub type When<'a> = &'a dyn Fn(Moment) -> String;

/// Why a server has its status: what it is, what else was found, each entry point that is not clear, what it is worth as
/// a witness, and what to do. `verdicts` are of this fleet and policy.
pub fn server(fleet: &Fleet, policy: &Policy, verdicts: &Verdicts, ix: ServerIx, when: When<'_>) -> Explanation {
    let mut teller = Teller { fleet, policy, verdicts, when, said: Vec::new() };
    teller.status(ix);
    let own = &fleet.server(ix).entry_points;
    if fleet.server(ix).intent != Intent::Disabled {
        for entry_point in own {
            teller.entry(*entry_point);
        }
        teller.as_witness(ix);
        teller.country_cuts(ix);
    }
    teller.advised(ix)
}

/// Why an entry point has its state: who accuses, who vouches, whose vote does not count and why, and what would lift it.
pub fn entry_point(fleet: &Fleet, policy: &Policy, verdicts: &Verdicts, ix: EntryIx, when: When<'_>) -> Explanation {
    let mut teller = Teller { fleet, policy, verdicts, when, said: Vec::new() };
    let server = fleet.entry_point(ix).server;
    if fleet.server(server).intent == Intent::Disabled {
        teller.status(server);
        return Explanation { findings: teller.said, advice: Vec::new() };
    }
    teller.entry(ix);
    if teller.server_verdict(server).status == Status::NoData || teller.server_verdict(server).status == Status::Pending
    {
        teller.status(server);
    }
    teller.country_cuts(server);
    teller.advised(server)
}

/// What every part of an explanation reads, and what was said so far.
struct Teller<'a> {
    fleet: &'a Fleet,
    policy: &'a Policy,
    verdicts: &'a Verdicts,
    when: When<'a>,
    said: Vec<Sentence>,
}

impl<'a> Teller<'a> {
    fn say(&mut self, rules: &'static [&'static str], text: String) {
        self.said.push(Sentence { text, rules });
    }

    /// Ends the explanation with what to do about a server.
    fn advised(mut self, ix: ServerIx) -> Explanation {
        let findings = mem::take(&mut self.said);
        self.advice(ix);
        Explanation { findings, advice: self.said }
    }

    fn server_verdict(&self, ix: ServerIx) -> &'a ServerVerdict {
        &self.verdicts.servers[ix.at()]
    }

    fn entry_verdict(&self, ix: EntryIx) -> &'a EntryVerdict {
        &self.verdicts.entry_points[ix.at()]
    }
}

#[cfg(test)]
mod tests;
