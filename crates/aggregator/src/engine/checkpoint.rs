//! The folded state as bytes, so that a restart goes on where it was.
//!
//! Ids stand in it, not indices: it is read over whatever fleet is in force then. It holds the ledger without the standing
//! verdicts, which are rows of their own, written at the moment they change.

use prost::Message;
use quorate_core::fleet::{Fleet, ServerIx};
use quorate_core::lane::Lane;
use quorate_core::ledger::{LaneRound, Ledger, ServerState};
use quorate_core::report::{Health, Sequence};
use quorate_core::streak::Pair;
use quorate_core::time::Moment;
use quorate_core::verdict::Sight;

#[derive(Clone, PartialEq, Message)]
struct Checkpoint {
    #[prost(message, repeated, tag = "1")]
    servers: Vec<Server>,
    #[prost(message, repeated, tag = "2")]
    columns: Vec<Column>,
}

#[derive(Clone, PartialEq, Message)]
struct Server {
    #[prost(string, tag = "1")]
    id: String,
    #[prost(uint64, tag = "2")]
    added_at_ms: u64,
    #[prost(uint64, optional, tag = "3")]
    last_report_at_ms: Option<u64>,
    #[prost(bool, tag = "4")]
    down: bool,
    #[prost(string, optional, tag = "5")]
    outbox: Option<String>,
    #[prost(uint64, tag = "6")]
    sequence: u64,
    /// By lane.
    #[prost(message, repeated, tag = "7")]
    rounds: Vec<Round>,
}

/// Servers are named by their place in [`Checkpoint::servers`].
#[derive(Clone, PartialEq, Message)]
struct Round {
    #[prost(uint32, tag = "1")]
    neighbours: u32,
    #[prost(uint32, tag = "2")]
    seen: u32,
    #[prost(bool, tag = "3")]
    discredited: bool,
    #[prost(uint32, repeated, tag = "4")]
    neighbour_list: Vec<u32>,
    #[prost(uint32, repeated, tag = "5")]
    unseen: Vec<u32>,
}

#[derive(Clone, PartialEq, Message)]
struct Column {
    #[prost(string, tag = "1")]
    entry_point: String,
    #[prost(uint32, repeated, tag = "2")]
    witnesses: Vec<u32>,
    /// 16 bytes for each witness.
    #[prost(bytes = "vec", tag = "3")]
    pairs: Vec<u8>,
}

/// The stored bytes are not a checkpoint of this fleet.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CheckpointError {
    #[error("the stored state cannot be decoded: {0}")]
    Decode(#[from] prost::DecodeError),
    #[error("the stored state does not fit itself: {0}")]
    Inconsistent(&'static str),
}

/// Writes the ledger.
pub(super) fn encode(fleet: &Fleet, ledger: &Ledger) -> Vec<u8> {
    let servers = fleet.server_ixs().map(|ix| server(&fleet.server(ix).id, ledger.server(ix))).collect();
    let column = |ix| Column { entry_point: fleet.entry_point(ix).id.clone(), ..Column::default() };
    let mut columns: Vec<Column> = fleet.entry_ixs().map(column).collect();
    for witness in fleet.server_ixs() {
        for (ix, pair) in ledger.row(witness) {
            let column = &mut columns[ix.at()];
            column.witnesses.push(witness.0);
            column.pairs.extend_from_slice(&pair.to_bytes());
        }
    }
    Checkpoint { servers, columns }.encode_to_vec()
}

fn server(id: &str, state: &ServerState) -> Server {
    let list = |servers: &[ServerIx]| servers.iter().map(|ix| ix.0).collect();
    let rounds = state.round.iter().map(|round| Round {
        neighbours: round.sight.neighbours,
        seen: round.sight.seen,
        discredited: round.discredited,
        neighbour_list: list(&round.neighbours),
        unseen: list(&round.unseen),
    });
    Server {
        id: id.to_owned(),
        added_at_ms: state.added_at.as_ms(),
        last_report_at_ms: state.last_report_at.map(Moment::as_ms),
        down: state.health == Health::Down,
        outbox: state.sequence.as_ref().map(|sequence| sequence.outbox.clone()),
        sequence: state.sequence.as_ref().map_or(0, |sequence| sequence.number),
        rounds: rounds.collect(),
    }
}

/// Reads a ledger over the fleet that it was written over. Servers and entry points that this fleet does not have are
/// passed over; those that the bytes do not have begin at `now`.
pub(super) fn decode(bytes: &[u8], fleet: &Fleet, now: Moment) -> Result<Ledger, CheckpointError> {
    let stored = Checkpoint::decode(bytes)?;
    let places: Vec<Option<ServerIx>> = stored.servers.iter().map(|server| fleet.find_server(&server.id)).collect();
    let relocated = |list: &[u32]| -> Vec<ServerIx> {
        list.iter().filter_map(|place| places.get(*place as usize).copied().flatten()).collect()
    };
    let mut ledger = Ledger::new(fleet, now);
    for (server, place) in stored.servers.iter().zip(&places) {
        let Some(place) = place else { continue };
        let mut state = ServerState::new(Moment::from_ms(server.added_at_ms));
        state.last_report_at = server.last_report_at_ms.map(Moment::from_ms);
        state.health = if server.down { Health::Down } else { Health::Ok };
        state.sequence = server.outbox.clone().map(|outbox| Sequence { outbox, number: server.sequence });
        if server.rounds.len() != Lane::COUNT {
            return Err(CheckpointError::Inconsistent("a server without a round for each lane"));
        }
        for (round, stored) in state.round.iter_mut().zip(&server.rounds) {
            *round = LaneRound {
                sight: Sight { neighbours: stored.neighbours, seen: stored.seen },
                discredited: stored.discredited,
                neighbours: relocated(&stored.neighbour_list),
                unseen: relocated(&stored.unseen),
            };
        }
        ledger.restore_server(*place, state);
    }
    for column in &stored.columns {
        let Some(entry_point) = fleet.find_entry_point(&column.entry_point) else { continue };
        let (pairs, rest) = column.pairs.as_chunks::<16>();
        if pairs.len() != column.witnesses.len() || !rest.is_empty() {
            return Err(CheckpointError::Inconsistent("a column without 16 bytes for each witness"));
        }
        for (witness, pair) in column.witnesses.iter().zip(pairs) {
            if let Some(witness) = places.get(*witness as usize).copied().flatten() {
                ledger.restore_pair(witness, entry_point, Pair::from_bytes(*pair));
            }
        }
    }
    Ok(ledger)
}
