//! What holds whatever agents send: each message is read or refused, each report is folded into a small fleet, and the fleet
//! is evaluated after each. Read by the fuzz target, and by the test of `quorate-aggregator` that replays its corpus.
//!
//! An input is a row of messages as [`packed`] writes them.

use std::collections::BTreeMap;

use bytes::Bytes;
use prost::Message as _;
use quorate_aggregator::digest::{hex, sha256};
use quorate_aggregator::engine::intake::{Places, Taken, in_order, take};
use quorate_aggregator::gateway::intake::{check, observed_at};
use quorate_aggregator::gateway::wire::Incoming;
use quorate_aggregator::inventory::Inventory;
use quorate_aggregator::lines::Lines;
use quorate_aggregator::store::{PlannedTarget, StoredPlan};
use quorate_core::evaluate::Evaluator;
use quorate_core::fleet::{EntryIx, Fleet, ServerIx};
use quorate_core::ledger::Ledger;
use quorate_core::outcome::Outcome;
use quorate_core::policy::Policy;
use quorate_core::time::Moment;
use quorate_core::{balance, explain};
use quorate_proto::{REPORT_BYTES_MAX, v1};

/// Four servers in two countries, one of them a verifier; the route is all that matters to an audience.
const FLEET: &str = r#"{
    "policy": {"sustain_for_ms": 0},
    "servers": [
        {"id": "nl-1", "address": "198.51.100.7", "country": "NL"},
        {"id": "nl-2", "address": "203.0.113.7", "country": "NL", "verifier": true},
        {"id": "de-1", "address": "192.0.2.7", "country": "DE", "entry_points": [{}, {"probe": "quic"}]},
        {"id": "de-2", "address": "2001:db8::7", "country": "DE"}
    ],
    "routes": [{"id": "all", "entry_points": ["nl-1/tls", "nl-2/tls", "de-1/tls", "de-1/quic", "de-2/tls"]}]
}"#;

/// The version of the one plan that is known.
pub const PLAN: u64 = 1;

/// One message of an input: the server that sends it, seconds since the one before, its length in two bytes (little-endian),
/// and a `FromAgent`.
#[allow(dead_code, reason = "the fuzz target only reads")]
pub fn packed(server: u8, after_s: u8, message: &v1::FromAgent) -> Vec<u8> {
    let bytes = message.encode_to_vec();
    let length = u16::try_from(bytes.len()).expect("a message of an input is short").to_le_bytes();
    [&[server, after_s], &length[..], &bytes].concat()
}

/// Panics where something does not hold; returns what the reports were taken for.
pub fn holds(mut bytes: &[u8]) -> Vec<Taken> {
    let mut house = House::new();
    let mut taken = Vec::new();
    while let [server, after_s, low, high, rest @ ..] = bytes {
        let length = usize::from(u16::from_le_bytes([*low, *high])).min(rest.len());
        let (message, others) = rest.split_at(length);
        house.now = house.now.after(core::time::Duration::from_secs(u64::from(*after_s)));
        taken.extend(house.receive(usize::from(*server), &Bytes::copy_from_slice(message)));
        bytes = others;
    }
    taken
}

/// What an aggregator has of it, without a store.
struct House {
    fleet: Fleet,
    policy: Policy,
    plans: BTreeMap<u64, StoredPlan>,
    places: Places,
    ledger: Ledger,
    evaluator: Evaluator,
    lines: Lines,
    now: Moment,
}

impl House {
    fn new() -> Self {
        let inventory: Inventory = serde_json::from_str(FLEET).expect("the fleet is written above");
        let (fleet, policy) = (inventory.checked().expect("a fleet"), inventory.policy().expect("a policy"));
        let now = Moment::from_ms(1_000_000);
        Self {
            plans: BTreeMap::from([(PLAN, plan(&fleet))]),
            places: Places::default(),
            ledger: Ledger::new(&fleet, now),
            evaluator: Evaluator::default(),
            lines: Lines::default(),
            fleet,
            policy,
            now,
        }
    }

    fn receive(&mut self, server: usize, message: &Bytes) -> Option<Taken> {
        let incoming = Incoming::decode(message).ok()?;
        let Incoming::Report(report, payload) = incoming else { return None };
        assert!(payload.len() <= message.len().min(REPORT_BYTES_MAX), "what is kept is what came");
        assert_eq!(v1::Report::decode(payload.clone()).map(|kept| kept.encode_to_vec()), Ok(report.encode_to_vec()));
        check(&report).map_err(|refusal| one_line(&refusal.to_string())).ok()?;

        let witness = self.fleet.server_ixs().nth(server % self.fleet.servers().len())?;
        let last = self.ledger.server(witness).last_report_at;
        let observed_at = in_order(observed_at(&report, self.now), self.now, last);
        assert!(observed_at <= self.now && last.is_none_or(|last| observed_at >= last), "time goes one way (R2)");
        let taken = take(&self.fleet, &mut self.places, witness, &self.plans, observed_at, &report);
        self.is_bounded(&report, witness, &taken);
        if taken.is_round {
            self.ledger.fold(&self.fleet, &self.policy, &taken.report);
        } else {
            self.ledger.fold_heartbeat(&taken.report);
        }
        self.note_lines(witness, &report, &taken);
        self.evaluate();
        Some(taken)
    }

    fn is_bounded(&self, report: &v1::Report, witness: ServerIx, taken: &Taken) {
        let planned = &self.plans[&PLAN].by_server[&self.fleet.server(witness).id];
        assert!(taken.outcomes.is_empty() || taken.outcomes.len() == planned.len(), "a round is whole");
        assert!(taken.report.outcomes.len() <= taken.outcomes.len());
        assert_eq!(taken.is_round, !taken.outcomes.is_empty());
        assert_eq!(
            taken.flaw.is_none(),
            taken.is_round || report.outcomes.is_empty(),
            "what says nothing has a reason"
        );
        if let Some(flaw) = &taken.flaw {
            one_line(&flaw.to_string());
        }
    }

    fn note_lines(&mut self, witness: ServerIx, report: &v1::Report, taken: &Taken) {
        let server = &self.fleet.server(witness).id;
        if let Some(metrics) = report.self_check.as_ref().and_then(|check| check.metrics.as_ref()) {
            self.lines.note_self(server, taken.report.observed_at, metrics);
        }
        for (ix, outcome) in &taken.report.outcomes {
            self.lines.note_knock(&self.fleet.owner(*ix).id, taken.report.observed_at, outcome);
        }
        assert!(self.lines.until(self.now).count() <= self.fleet.servers().len());
    }

    /// Nothing stands without evidence, the route is never empty, and everything can be explained in sentences.
    fn evaluate(&mut self) {
        self.evaluator.evaluate(&self.fleet, &self.policy, &mut self.ledger, self.now);
        let verdicts = self.evaluator.verdicts();
        for ix in self.fleet.route_ixs() {
            assert!(
                !balance::slate(&self.fleet, verdicts, ix, None).deliver.is_empty(),
                "a route is never empty (R16)"
            );
        }
        let when = |at: Moment| at.as_ms().to_string();
        for ix in self.fleet.server_ixs() {
            let said = explain::server(&self.fleet, &self.policy, verdicts, ix, &when);
            assert!(said.sentences().count() > 0);
            said.sentences().for_each(|sentence| one_line(&sentence.to_string()));
        }
    }
}

/// Every server knocks on the entry points of all others, in the fleet's order.
fn plan(fleet: &Fleet) -> StoredPlan {
    let planned = |ix: EntryIx| {
        let target = quorate_core::plan::Target {
            entry_point: fleet.entry_point(ix).id.clone(),
            server: fleet.owner(ix).id.clone(),
            lane: fleet.entry_point(ix).lane,
            probe: fleet.entry_point(ix).probe.clone().expect("a declared fleet is probed"),
        };
        let dialled = quorate_proto::plan::target::to_wire(&target).encode_to_vec();
        PlannedTarget { entry_point: target.entry_point, address: hex(&sha256(&dialled)) }
    };
    let of = |server: &quorate_core::fleet::Server| {
        let others = fleet.entry_ixs().filter(|ix| fleet.owner(*ix).id != server.id);
        (server.id.clone(), others.map(planned).collect())
    };
    StoredPlan { by_server: fleet.servers().iter().map(of).collect() }
}

/// Whether an outcome is evidence about its pair.
#[allow(dead_code, reason = "the fuzz target only looks whether everything holds")]
pub fn failures(taken: &Taken) -> usize {
    taken.outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Failed(_))).count()
}

fn one_line(told: &str) {
    assert!(!told.is_empty() && !told.contains(char::is_control), "told in one line: {told:?}");
}
