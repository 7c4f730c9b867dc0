//! The monitoring topology: K pseudo-random rings of the members, on each of which a process is observed by the next one that
//! looks at it.

use quorate_core::fleet::{EntryIx, ServerIx};

use crate::rival::mesh::Mesh;

/// Who observes whom.
pub(in crate::rival) struct Rings {
    /// By entry point: its observer on each ring; none of one that nobody looks at.
    observers: Vec<Vec<ServerIx>>,
}

impl Rings {
    /// The rings of those servers that have a member; who has none is observed by those who would be its neighbours.
    pub fn new(mesh: &Mesh, rings: usize, is_member: impl Fn(EntryIx) -> bool) -> Self {
        let servers: Vec<ServerIx> = mesh.fleet.server_ixs().filter(|ix| mesh.probes(*ix)).collect();
        let on_rings: Vec<bool> = mesh
            .fleet
            .server_ixs()
            .map(|ix| mesh.fleet.server(ix).entry_points.iter().any(|own| is_member(*own)))
            .collect();
        let mut observers = mesh.column(Vec::new());
        for ring in 0..rings {
            let mut order = servers.clone();
            order.sort_by_cached_key(|ix| place(&mesh.fleet.server(*ix).id, ring));
            for (at, server) in order.iter().enumerate() {
                for ix in &mesh.fleet.server(*server).entry_points {
                    let looks = |other: &&ServerIx| on_rings[other.at()] && mesh.plan.looks(**other, *ix);
                    let next = order[at + 1..].iter().chain(&order[..at]).find(looks);
                    observers[ix.at()].extend(next);
                }
            }
        }
        Self { observers }
    }

    /// A process's observers, one for each ring.
    pub fn observers(&self, ix: EntryIx) -> &[ServerIx] {
        &self.observers[ix.at()]
    }
}

/// Where a server stands on a ring: FNV-1a over the ring and the id, mixed so that near ids are far apart.
fn place(id: &str, ring: usize) -> u64 {
    let bytes = (ring as u64).to_le_bytes().into_iter().chain(id.bytes());
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let mixed = (hash ^ hash >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    mixed ^ mixed >> 33
}
