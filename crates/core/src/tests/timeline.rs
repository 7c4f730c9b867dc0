//! A fleet in a line each, and what happens to it drawn as a timeline.
//!
//! ```text
//! a>d  . x x x .      what a sees of d, one mark for each round: . reached, x failed, ? inconclusive
//! d    . . D - .      d itself: . reports that it is well, D that it is down, - says nothing
//! ```
//!
//! A round is a minute. What is not drawn is well. Either side of `>` may be `*`; the target may be an entry point; a
//! later line overrides an earlier one.

#![allow(clippy::unwrap_used, reason = "a test's drawing that cannot be read shall stop it")]

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::time::Duration;

use crate::balance::{self, Slate};
use crate::evaluate::{self, Evaluator};
use crate::fleet::{EntryIx, EntryPointSpec, Fleet, Intent, RouteSpec, ServerIx, ServerSpec};
use crate::fold::Folded;
use crate::lane::Lane;
use crate::ledger::Ledger;
use crate::outcome::{Failure, FailureKind, Operation, Outcome, Reason};
use crate::policy::Policy;
use crate::report::{Health, Report, Sequence};
use crate::time::Moment;
use crate::verdict::{EntryVerdict, ServerVerdict, Verdicts};

pub(crate) const REACHED: Outcome = Outcome::Reached { latency: Duration::from_millis(20) };
pub(crate) const INCONCLUSIVE: Outcome = Outcome::Inconclusive(Reason::Stalled);
pub(crate) const FAILED: Outcome = Outcome::Failed(Failure {
    operation: Operation::Connect,
    kind: FailureKind::Timeout,
    after: Duration::from_secs(5),
    bytes: 0,
});

/// A fleet under a policy, and all that was folded.
pub(crate) struct World {
    pub fleet: Fleet,
    pub policy: Policy,
    pub ledger: Ledger,
    pub evaluator: Evaluator,
    pub rounds: u64,
}

/// One verdict for each round that was played.
pub(crate) struct Film<'a> {
    pub fleet: &'a Fleet,
    pub frames: Vec<Verdicts>,
}

impl World {
    /// One server a line: `id [CC] [site=…] [verifier] [drained|disabled] [entry:lane[>upstream[+upstream]]…]`; without an
    /// entry it has `id/tls` on tcp4. A line `= id: entry… [for CC…]` is a route.
    pub fn new(drawn: &str) -> Self {
        let fleet = fleet(drawn);
        let ledger = Ledger::new(&fleet, Moment::ZERO);
        Self { fleet, policy: Policy::default(), ledger, evaluator: Evaluator::default(), rounds: 0 }
    }

    pub fn server(&self, id: &str) -> ServerIx {
        self.fleet.find_server(id).unwrap_or_else(|| panic!("no server {id}"))
    }

    pub fn entry(&self, id: &str) -> EntryIx {
        self.fleet.find_entry_point(id).unwrap_or_else(|| panic!("no entry point {id}"))
    }

    /// Plays rounds as drawn, each a minute after the one before, and evaluates at the end of each.
    pub fn play(&mut self, drawn: &str) -> Film<'_> {
        let script: Vec<(&str, Vec<char>)> = drawn.lines().filter_map(script_line).collect();
        let rounds = script.iter().map(|(_, marks)| marks.len()).max().unwrap_or(0);
        assert!(script.iter().all(|(_, marks)| marks.len() == rounds), "all lines are equally long");
        let mut frames = Vec::new();
        for round in 0..rounds {
            self.rounds += 1;
            let at = Moment::from_ms(self.rounds * 60_000);
            for witness in self.fleet.server_ixs() {
                let id = &self.fleet.server(witness).id;
                let own =
                    script.iter().rev().find(|(who, _)| *who == id.as_str()).map_or('.', |(_, marks)| marks[round]);
                let health = match own {
                    '.' => Health::Ok,
                    'D' => Health::Down,
                    '-' => continue,
                    mark => panic!("{id}: {mark} is no mark of a server"),
                };
                let mark = |ix: EntryIx| {
                    let told = script.iter().rev().find(|(who, _)| self.is_about(who, witness, ix));
                    told.map_or('.', |(_, marks)| marks[round])
                };
                let targets = self.fleet.entry_ixs().filter(|ix| self.fleet.entry_point(*ix).server != witness);
                let outcomes = targets.map(|ix| (ix, outcome(mark(ix)))).collect();
                let report = Report { witness, observed_at: at, health, outcomes, sequence: None };
                self.ledger.fold(&self.fleet, &self.policy, &report);
            }
            frames.push(self.evaluate(at.as_ms()).clone());
        }
        Film { fleet: &self.fleet, frames }
    }

    fn is_about(&self, who: &str, witness: ServerIx, ix: EntryIx) -> bool {
        let Some((from, to)) = who.split_once('>') else { return false };
        let entry_point = self.fleet.entry_point(ix);
        (from == "*" || from == self.fleet.server(witness).id)
            && (to == "*" || to == entry_point.id || to == self.fleet.server(entry_point.server).id)
    }

    /// Folds one report at a moment of its own: `entry mark` pairs, a server's id meaning its first entry point.
    pub fn report(&mut self, at_ms: u64, witness: &str, outcomes: &str) -> Folded {
        self.report_as(at_ms, witness, Health::Ok, outcomes, None)
    }

    pub fn report_as(
        &mut self,
        at_ms: u64,
        witness: &str,
        health: Health,
        outcomes: &str,
        place: Option<(&str, u64)>,
    ) -> Folded {
        let words: Vec<&str> = outcomes.split_whitespace().collect();
        let outcomes = words.chunks(2).map(|pair| {
            let [target, mark] = pair else { panic!("an entry point without a mark") };
            let ix = self.fleet.find_entry_point(target).unwrap_or_else(|| {
                let server = self.fleet.server(self.server(target));
                server.entry_points[0]
            });
            (ix, outcome(mark.chars().next().unwrap()))
        });
        let report = Report {
            witness: self.server(witness),
            observed_at: Moment::from_ms(at_ms),
            health,
            outcomes: outcomes.collect(),
            sequence: place.map(|(outbox, number)| Sequence { outbox: outbox.to_string(), number }),
        };
        self.ledger.fold(&self.fleet, &self.policy, &report)
    }

    /// Evaluates, and checks on the way that what was kept from the last pass makes no difference.
    pub fn evaluate(&mut self, at_ms: u64) -> &Verdicts {
        let at = Moment::from_ms(at_ms);
        let mut apart = self.ledger.clone();
        let fresh = evaluate::verdicts(&self.fleet, &self.policy, &mut apart, at);
        self.evaluator.evaluate(&self.fleet, &self.policy, &mut self.ledger, at);
        assert_eq!(*self.evaluator.verdicts(), fresh, "kept tallies answer as fresh ones");
        assert_eq!(self.ledger, apart, "and leave the same behind");
        self.evaluator.verdicts()
    }

    pub fn on_server(&self, id: &str) -> &ServerVerdict {
        &self.evaluator.verdicts().servers[self.server(id).at()]
    }

    pub fn on_entry(&self, id: &str) -> &EntryVerdict {
        &self.evaluator.verdicts().entry_points[self.entry(id).at()]
    }

    /// What a route delivers at the last evaluation, as `a/tls:0 b/tls:1`, with `!` in front as a last resort.
    pub fn delivers(&self, route: &str, country: Option<&str>) -> String {
        let route = self.fleet.find_route(route).unwrap();
        let country = country.map(|word| word.parse().unwrap());
        let Slate { deliver, last_resort, .. } = balance::slate(&self.fleet, self.evaluator.verdicts(), route, country);
        let offers =
            deliver.iter().map(|offer| format!("{}:{}", self.fleet.entry_point(offer.entry_point).id, offer.tier));
        let flag = last_resort.then(|| String::from("!"));
        flag.into_iter().chain(offers).collect::<Vec<_>>().join(" ")
    }

    /// Takes another fleet over, as at a change of the inventory.
    pub fn becomes(&mut self, drawn: &str, at_ms: u64) {
        let next = fleet(drawn);
        self.ledger = self.ledger.over(&self.fleet, &next, Moment::from_ms(at_ms));
        self.fleet = next;
        self.evaluator = Evaluator::default();
    }
}

impl Film<'_> {
    /// The status of a server, round by round.
    pub fn status(&self, id: &str) -> String {
        let ix = self.fleet.find_server(id).unwrap();
        let words: Vec<&str> = self.frames.iter().map(|frame| frame.servers[ix.at()].status.as_str()).collect();
        words.join(" ")
    }

    /// The state of an entry point, round by round.
    pub fn state(&self, id: &str) -> String {
        let ix = self.fleet.find_entry_point(id).unwrap();
        let words: Vec<&str> = self.frames.iter().map(|frame| frame.entry_points[ix.at()].state().as_str()).collect();
        words.join(" ")
    }
}

/// The names of some servers, in a row.
pub(crate) fn named(fleet: &Fleet, servers: impl IntoIterator<Item = ServerIx>) -> String {
    servers.into_iter().map(|ix| fleet.server(ix).id.as_str()).collect::<Vec<_>>().join(" ")
}

fn script_line(line: &str) -> Option<(&str, Vec<char>)> {
    let mut words = line.split_whitespace();
    let who = words.next()?;
    Some((who, words.flat_map(str::chars).collect()))
}

fn outcome(mark: char) -> Outcome {
    match mark {
        '.' => REACHED,
        'x' => FAILED,
        '?' => INCONCLUSIVE,
        mark => panic!("{mark} is no outcome"),
    }
}

/// A fleet drawn one server a line.
pub(crate) fn fleet(drawn: &str) -> Fleet {
    let (mut servers, mut routes) = (Vec::new(), Vec::new());
    for line in drawn.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match line.strip_prefix("= ") {
            Some(drawn) => routes.push(route(drawn)),
            None => servers.push(server(line)),
        }
    }
    Fleet::new(servers, routes).unwrap()
}

fn route(drawn: &str) -> RouteSpec {
    let (id, rest) = drawn.split_once(':').unwrap();
    let (entry_points, audience) = rest.split_once(" for ").unwrap_or((rest, ""));
    RouteSpec {
        id: id.to_string(),
        entry_points: entry_points.split_whitespace().map(String::from).collect(),
        audience: audience.split_whitespace().map(|word| word.parse().unwrap()).collect(),
    }
}

fn server(drawn: &str) -> ServerSpec {
    let mut words = drawn.split_whitespace();
    let id = words.next().unwrap().to_string();
    let mut spec = ServerSpec {
        id: id.clone(),
        country: None,
        site: None,
        verifier: false,
        intent: Intent::Active,
        entry_points: Vec::new(),
    };
    for word in words {
        match word.split_once([':', '=']) {
            Some(("site", site)) => spec.site = Some(site.to_string()),
            Some((name, lane)) => spec.entry_points.push(entry_point(format!("{id}/{name}"), lane)),
            None if word == "verifier" => spec.verifier = true,
            None => match (word.parse(), word.parse()) {
                (Ok(country), _) => spec.country = Some(country),
                (_, Ok(intent)) => spec.intent = intent,
                _ => panic!("{word} says nothing of a server"),
            },
        }
    }
    if spec.entry_points.is_empty() {
        spec.entry_points = vec![entry_point(format!("{id}/tls"), "tcp4")];
    }
    spec
}

fn entry_point(id: String, drawn: &str) -> EntryPointSpec {
    let (drawn, address) = drawn.split_once('@').map_or((drawn, None), |(rest, address)| (rest, Some(address)));
    let (lane, upstreams) = drawn.split_once('>').unwrap_or((drawn, ""));
    EntryPointSpec {
        id,
        lane: lane.parse::<Lane>().unwrap(),
        address: address.map(String::from),
        probe: None,
        upstreams: upstreams.split('+').filter(|word| !word.is_empty()).map(String::from).collect(),
        weight: 1,
    }
}
