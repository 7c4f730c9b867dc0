//! Engines beside the engine that must say the same: one that kept nothing from its last evaluation, one that was restarted.

use quorate_core::evaluate::Evaluator;
use quorate_core::ledger::Ledger;
use quorate_core::streak::Pair;
use quorate_core::time::Moment;
use quorate_core::verdict::Verdicts;

use super::Breach;
use crate::engine::Engine;

/// It forgot its tallies.
pub(super) fn forgetful(engine: &Engine) -> Engine {
    Engine { evaluator: Evaluator::default(), ..engine.clone() }
}

/// A new process with what was stored of the old one: servers, pairs as bytes, verdicts that stand. That it was away is no
/// part of this: the clock of the rules goes on from where it was.
pub(super) fn restarted(engine: &Engine) -> Engine {
    let (fleet, old) = (&engine.fleet, &engine.ledger);
    let mut ledger = Ledger::new(fleet, Moment::ZERO);
    ledger.resume(old.evaluation_started_at());
    for ix in fleet.server_ixs() {
        ledger.restore_server(ix, old.server(ix).clone());
        for (entry_point, pair) in old.row(ix) {
            ledger.restore_pair(ix, entry_point, Pair::from_bytes(pair.to_bytes()));
        }
    }
    for ix in fleet.entry_ixs() {
        ledger.restore_standing(ix, old.standing(ix).clone());
    }
    Engine { ledger, evaluator: Evaluator::default(), ..engine.clone() }
}

/// Two that must say the same; what differs first is named.
pub(super) fn same(invariant: &'static str, at: Moment, a: &Verdicts, b: &Verdicts) -> Result<(), Breach> {
    if a == b {
        return Ok(());
    }
    let servers = a.servers.iter().zip(&b.servers).enumerate().find(|(_, (a, b))| a != b);
    let entry_points = a.entry_points.iter().zip(&b.entry_points).enumerate().find(|(_, (a, b))| a != b);
    let found = match (servers, entry_points) {
        (_, Some((ix, (a, b)))) => format!("entry point {ix}: {a:?}\n and {b:?}"),
        (Some((ix, (a, b))), None) => format!("server {ix}: {a:?}\n and {b:?}"),
        (None, None) => format!("cuts: {:?}\n and {:?}", a.cuts, b.cuts),
    };
    Err(Breach::new(invariant, at, found))
}
