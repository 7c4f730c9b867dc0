//! What the audience sees: one snapshot of the engine, cut down to what the demo shows and checks.

use quorate_core::balance;
use quorate_core::verdict::{State, Status};

use crate::engine::Snapshot;

/// The fleet at one moment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scene {
    /// By id.
    pub servers: Vec<Seen>,
    /// By id.
    pub routes: Vec<Offered>,
}

/// One server.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// Its name.
    pub id: String,
    /// Its country, or empty.
    pub country: String,
    /// Whether it is a verifier.
    pub verifier: bool,
    /// The strongest word that applies.
    pub status: Status,
    /// All that apply.
    pub conditions: Vec<Status>,
    /// As a witness: how many it cannot see of how many it judges (R10).
    pub half_blind: Option<(usize, u32)>,
    /// How long it has had its status, ms.
    pub since_ms: u64,
    /// Its entry points, by id.
    pub doors: Vec<Door>,
}

/// One entry point.
#[derive(Debug, Clone, PartialEq)]
pub struct Door {
    /// Its id.
    pub id: String,
    /// The word on it.
    pub state: State,
    /// Servers that see it.
    pub seen_by: usize,
    /// Servers that accuse it.
    pub accused_by: usize,
}

/// What a route delivers.
#[derive(Debug, Clone, PartialEq)]
pub struct Offered {
    /// Its name.
    pub id: String,
    /// Entry points delivered.
    pub delivered: usize,
    /// Entry points it has.
    pub of: usize,
    /// Whether that is the best of the bad (R16).
    pub last_resort: bool,
}

impl Scene {
    /// Of a snapshot.
    pub fn of(snapshot: &Snapshot) -> Self {
        let (fleet, verdicts) = (&snapshot.fleet, &snapshot.verdicts);
        let servers = fleet.servers().iter().zip(&verdicts.servers).zip(snapshot.since.iter());
        let servers = servers.map(|((server, verdict), since)| Seen {
            id: server.id.clone(),
            country: server.country.map(|country| country.to_string()).unwrap_or_default(),
            verifier: server.verifier,
            status: verdict.status,
            conditions: verdict.conditions.clone(),
            half_blind: verdict.half_blind.as_ref().map(|found| (found.unseen.len(), found.judged)),
            since_ms: snapshot.at.since(*since).as_millis() as u64,
            doors: server
                .entry_points
                .iter()
                .map(|ix| {
                    let verdict = &verdicts.entry_points[ix.at()];
                    Door {
                        id: fleet.entry_point(*ix).id.clone(),
                        state: verdict.state(),
                        seen_by: verdict.vouchers.len(),
                        accused_by: verdict.accusers.len(),
                    }
                })
                .collect(),
        });
        let routes = fleet.route_ixs().map(|ix| {
            let slate = balance::slate(fleet, verdicts, ix, None);
            let route = fleet.route(ix);
            Offered {
                id: route.id.clone(),
                delivered: slate.deliver.len(),
                of: route.entry_points.len(),
                last_resort: slate.last_resort,
            }
        });
        Self { servers: servers.collect(), routes: routes.collect() }
    }

    /// One server.
    pub fn server(&self, id: &str) -> Option<&Seen> {
        self.servers.iter().find(|server| server.id == id)
    }

    /// Whether there is nothing to say of anybody, and most of the others see every entry point: nobody is well only
    /// because nobody has looked.
    pub fn is_well(&self) -> bool {
        let peers = self.servers.len().saturating_sub(1);
        let is_seen = |door: &Door| door.seen_by * 2 > peers;
        !self.servers.is_empty()
            && self.servers.iter().all(|server| server.is_well() && server.doors.iter().all(is_seen))
    }
}

impl Seen {
    /// Whether there is nothing to say of it, neither as a target nor as a witness.
    pub fn is_well(&self) -> bool {
        self.conditions == [Status::Ok] && self.half_blind.is_none()
    }
}

#[cfg(test)]
impl Seen {
    /// A server with one status and no entry points.
    pub fn plain(id: &str, status: Status) -> Self {
        Self {
            id: id.to_owned(),
            country: String::new(),
            verifier: false,
            status,
            conditions: vec![status],
            half_blind: None,
            since_ms: 0,
            doors: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fleet_that_nobody_has_looked_at_is_not_well() {
        let door = |seen_by| Door { id: "a/tls".to_owned(), state: State::Clear, seen_by, accused_by: 0 };
        let fleet = |seen_by| Scene {
            servers: ["a", "b", "c"]
                .map(|id| Seen { doors: vec![door(seen_by)], ..Seen::plain(id, Status::Ok) })
                .to_vec(),
            routes: Vec::new(),
        };
        assert!(!Scene::default().is_well());
        assert!(!fleet(1).is_well());
        assert!(fleet(2).is_well());
    }
}
