//! The monitoring topology: K pseudo-random rings of the members, on each of which a server is observed by the next one.

use quorate_core::fleet::{EntryIx, ServerIx};

use crate::rival::mesh::Mesh;

/// Who observes whom.
pub(in crate::rival) struct Rings {
    /// By server: its observer on each ring; none of a server that is alone.
    observers: Vec<Vec<ServerIx>>,
}

impl Rings {
    /// The rings of those servers that have a member; who has none is observed by those who would be its neighbours.
    pub fn new(mesh: &Mesh, rings: usize, is_member: impl Fn(EntryIx) -> bool) -> Self {
        let servers: Vec<ServerIx> = mesh.fleet.server_ixs().filter(|ix| mesh.probes(*ix)).collect();
        let is_on_rings = |ix: ServerIx| mesh.fleet.server(ix).entry_points.iter().any(|own| is_member(*own));
        let mut observers = vec![Vec::with_capacity(rings); mesh.fleet.servers().len()];
        for ring in 0..rings {
            let mut order = servers.clone();
            order.sort_by_key(|ix| place(&mesh.fleet.server(*ix).id, ring));
            for (at, server) in order.iter().enumerate() {
                let next = order[at + 1..].iter().chain(&order[..at]).find(|ix| is_on_rings(**ix));
                observers[server.at()].extend(next);
            }
        }
        Self { observers }
    }

    /// A server's observers, one for each ring.
    pub fn observers(&self, server: ServerIx) -> &[ServerIx] {
        &self.observers[server.at()]
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
