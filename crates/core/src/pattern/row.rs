//! Rows: a witness that sees so few that it is not believed (R3), or that its pairs say more of it than of them (R10).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::fleet::{Fleet, ServerIx};
use crate::lane::{Lane, LaneSet};
use crate::verdict::{ServerVerdict, Verdicts};
use crate::words;

/// On which lanes a witness's row is told, and whether that is all that it looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    pub lanes: LaneSet,
    pub is_whole: bool,
}

/// The row of a witness, if there is something to tell of it. What a silent one saw last is old.
pub(super) fn row(verdict: &ServerVerdict) -> Option<Row> {
    if verdict.silent {
        None
    } else if verdict.half_blind.is_some() {
        Some(Row { lanes: Lane::ALL.into_iter().collect(), is_whole: true })
    } else if verdict.discredited.is_empty() {
        None
    } else {
        Some(Row {
            lanes: verdict.discredited,
            is_whole: looks_at(verdict).all(|lane| verdict.discredited.contains(lane)),
        })
    }
}

/// Lanes on which it has neighbours.
fn looks_at(verdict: &ServerVerdict) -> impl Iterator<Item = Lane> {
    Lane::ALL.into_iter().filter(|lane| verdict.sight[lane.index()].neighbours > 0)
}

/// "ru-1 as a witness sees 1 of 7: its word is discarded".
pub(super) fn text(fleet: &Fleet, verdicts: &Verdicts, ix: ServerIx) -> String {
    let (id, verdict) = (&fleet.server(ix).id, &verdicts.servers[ix.at()]);
    match (&verdict.half_blind, row(verdict)) {
        (Some(_), _) | (_, None) => {
            format!("{id} as a witness {}: it is half-blind, and its votes still count", sight(verdict))
        }
        (None, Some(Row { is_whole: true, .. })) => {
            format!("{id} as a witness {}: its word is discarded", sight(verdict))
        }
        (None, Some(Row { is_whole: false, .. })) => {
            format!("{id} as a witness {}: its word there is discarded", sight(verdict))
        }
    }
}

/// "sees 1 of 7", "sees 0 of 7 on udp4", "cannot see 4 of 7".
pub(super) fn sight(verdict: &ServerVerdict) -> String {
    if let Some(half_blind) = &verdict.half_blind {
        return format!("cannot see {} of {}", half_blind.unseen.len(), half_blind.judged);
    }
    let told: Vec<Lane> = verdict.discredited.iter().collect();
    let is_all = looks_at(verdict).count() == 1;
    let lanes: Vec<String> = told
        .into_iter()
        .map(|lane| {
            let sight = verdict.sight[lane.index()];
            let place = if is_all { String::new() } else { format!(" on {lane}") };
            format!("{} of {}{place}", sight.seen, sight.neighbours)
        })
        .collect();
    format!("sees {}", words::names(&lanes))
}
