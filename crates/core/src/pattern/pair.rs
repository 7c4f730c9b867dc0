//! Pairs: failing cells that no figure holds. A broken pair does not say whose fault it is, and neither do we (R10).

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::{Caption, Cell, Kind, Part};
use crate::fleet::{EntryIx, Fleet, ServerIx};
use crate::verdict::{Accord, EntryVerdict, Verdicts};
use crate::words;

/// One caption for each two servers, those with most cells first, then in the order of ids.
pub(super) fn captions(fleet: &Fleet, verdicts: &Verdicts, cells: &[Cell]) -> Vec<Caption> {
    let mut pairs: BTreeMap<(ServerIx, ServerIx), Vec<Cell>> = BTreeMap::new();
    for cell in cells {
        let target = fleet.entry_point(cell.target).server;
        pairs.entry((cell.witness.min(target), cell.witness.max(target))).or_default().push(*cell);
    }
    let mut captions: Vec<Caption> =
        pairs.into_iter().map(|(pair, cells)| caption(fleet, verdicts, pair, &cells)).collect();
    captions.sort_by_key(|caption| Reverse(caption.cells));
    captions
}

fn caption(fleet: &Fleet, verdicts: &Verdicts, (a, b): (ServerIx, ServerIx), cells: &[Cell]) -> Caption {
    let ways: Vec<(ServerIx, ServerIx, Part)> = [(a, b), (b, a)]
        .into_iter()
        .map(|(witness, target)| {
            let targets = cells.iter().filter(|cell| cell.witness == witness).map(|cell| cell.target).collect();
            (witness, target, Part { witnesses: alloc::vec![witness], targets })
        })
        .filter(|(_, _, part)| !part.targets.is_empty())
        .collect();
    let id = |ix: ServerIx| fleet.server(ix).id.as_str();
    let text = match ways.as_slice() {
        [(witness, target, part)] => {
            let what = what(fleet, verdicts, *witness, *target, &part.targets);
            format!("{} cannot see {what}: {}", id(*witness), blame(fleet, verdicts, cells))
        }
        _ => format!("{} and {} cannot see each other: {}", id(a), id(b), blame(fleet, verdicts, cells)),
    };
    Caption {
        kind: Kind::Pair,
        servers: alloc::vec![a, b],
        countries: Vec::new(),
        parts: ways.into_iter().map(|(_, _, part)| part).collect(),
        cells: cells.len(),
        text,
    }
}

/// The server, or those of its entry points that fail where the witness sees others.
fn what(fleet: &Fleet, verdicts: &Verdicts, witness: ServerIx, target: ServerIx, lost: &[EntryIx]) -> String {
    let server = fleet.server(target);
    let sees = |ix: &EntryIx| verdicts.entry_points[ix.at()].vouchers.contains(witness);
    if !server.entry_points.iter().any(sees) {
        return server.id.clone();
    }
    let ids: Vec<String> = lost.iter().map(|ix| fleet.entry_point(*ix).id.clone()).collect();
    words::names(&ids)
}

/// What follows for whom.
fn blame(fleet: &Fleet, verdicts: &Verdicts, cells: &[Cell]) -> String {
    let on = |cell: &Cell| &verdicts.entry_points[cell.target.at()];
    let id = |ix: ServerIx| fleet.server(ix).id.as_str();
    let target = |cell: &Cell| fleet.entry_point(cell.target).server;
    if let Some(cell) = cells.iter().find(|cell| on(cell).blocked_by.contains(&cell.witness)) {
        let (verifier, blocked) = (id(cell.witness), id(target(cell)));
        return format!("{verifier} is a verifier, so {blocked} counts as blocked");
    }
    if let Some(cell) = cells.iter().find(|cell| is_down(on(cell))) {
        return format!("{} says itself that it is down", id(target(cell)));
    }
    let is_idle = |cell: &Cell| fleet.server(target(cell)).verifier && !fleet.server(cell.witness).verifier;
    if let Some(cell) = cells.iter().find(|cell| is_idle(cell)) {
        return format!("{} is a verifier, so it means nothing by itself", id(target(cell)));
    }
    if cells.iter().any(|cell| on(cell).accord == Accord::Contested) {
        return String::from("servers disagree");
    }
    String::from("nobody is blamed")
}

fn is_down(verdict: &EntryVerdict) -> bool {
    verdict.down
}
