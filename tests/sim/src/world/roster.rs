//! Who is in the inventory, who knocks on whom, and which number is which index.
//!
//! A server keeps its number for ever; its index moves when others join or leave. What an agent saw is kept by numbers and
//! addresses, and finds its index when it is delivered, as the aggregator does it: what is about another address is nobody's
//! evidence (R2).

use std::sync::Arc;
use std::time::Duration;

use quorate_core::assign::{AssignPolicy, Assignment, assign};
use quorate_core::fleet::{EntryIx, Fleet, ServerIx};
use quorate_core::lane::Lane;
use quorate_core::plan::{ProbePlan, Target};
use quorate_core::probe::ProbeKind;

use super::blueprint::{Blueprint, Entry, door_id, id};

/// What an agent knocks on: a door of a server, at the address it had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub server: usize,
    pub nth: usize,
    pub address: u32,
    pub lane: Lane,
    pub kind: ProbeKind,
}

/// One agent's plan, and the places it names, in its order.
#[derive(Debug)]
pub(super) struct Planned {
    pub plan: ProbePlan,
    pub places: Vec<Place>,
}

/// An inventory and all that follows from it.
#[derive(Debug)]
pub(super) struct Roster {
    pub fleet: Arc<Fleet>,
    pub entries: Vec<Entry>,
    servers: Vec<Option<ServerIx>>,
    /// By server and its place among its doors.
    doors: Vec<Vec<Option<EntryIx>>>,
    assignment: Assignment,
    /// By entry point index.
    places: Vec<Place>,
}

impl Roster {
    pub fn new(blueprint: &Blueprint, entries: Vec<Entry>) -> Self {
        let fleet = blueprint.fleet(&entries);
        let policy = AssignPolicy {
            min_spacing: Duration::from_millis(blueprint.spacing_ms),
            ..AssignPolicy::of(&blueprint.policy())
        };
        let assignment = assign(&fleet, &policy).expect("the spacing of a blueprint fits its interval");
        assert!(!assignment.is_stretched(&policy), "a blueprint's spacing lets a round keep its interval");
        let numbered = || blueprint.hosts.iter().enumerate();
        let servers = numbered().map(|(number, _)| fleet.find_server(&id(number))).collect();
        let doors: Vec<Vec<Option<EntryIx>>> = numbered()
            .map(|(number, host)| {
                host.doors.iter().map(|door| fleet.find_entry_point(&door_id(number, *door))).collect()
            })
            .collect();
        let mut places = vec![None; fleet.entry_points().len()];
        for (server, host) in numbered() {
            for (nth, door) in host.doors.iter().enumerate() {
                if let Some(ix) = doors[server][nth] {
                    let address = entries[server].address;
                    places[ix.at()] = Some(Place { server, nth, address, lane: door.lane(), kind: door.kind() });
                }
            }
        }
        let places = places.into_iter().map(|place| place.expect("every entry point is some server's door")).collect();
        Self { fleet: Arc::new(fleet), entries, servers, doors, assignment, places }
    }

    /// Where a server is in the fleet, if it is.
    pub fn server(&self, number: usize) -> Option<ServerIx> {
        self.servers[number]
    }

    /// Where an entry point is, if it still is what was knocked on.
    pub fn entry_point(&self, place: &Place) -> Option<EntryIx> {
        let same = self.entries[place.server].address == place.address;
        self.doors[place.server][place.nth].filter(|_| same)
    }

    /// What a server is to knock on.
    pub fn planned(&self, blueprint: &Blueprint, number: usize, version: u64) -> Planned {
        let targets = self.servers[number].map_or(&[][..], |ix| self.assignment.targets(ix));
        let target = |ix: &EntryIx| {
            let entry_point = self.fleet.entry_point(*ix);
            Target {
                entry_point: entry_point.id.clone(),
                server: self.fleet.owner(*ix).id.clone(),
                lane: entry_point.lane,
                probe: entry_point.probe.clone().expect("every door says how it is knocked on"),
            }
        };
        Planned {
            plan: ProbePlan {
                version,
                interval: blueprint.policy().interval,
                min_spacing: Duration::from_millis(blueprint.spacing_ms),
                targets: targets.iter().map(target).collect(),
                own: Vec::new(),
                controls: Vec::new(),
                speed: 1,
            },
            places: targets.iter().map(|ix| self.places[ix.at()]).collect(),
        }
    }
}
