//! Who watches whom so far, and who has room for one more.

use alloc::vec;
use alloc::vec::Vec;

use super::Thickness;
use crate::fleet::{Fleet, ServerIx};

/// An assignment that is being made. All vectors are by [`ServerIx`].
pub(super) struct Town<'a> {
    pub fleet: &'a Fleet,
    /// Those that watch and are watched.
    pub servers: &'a [ServerIx],
    pub thickness: &'a Thickness,
    /// Probes of each witness.
    load: Vec<usize>,
    /// Targets of each witness.
    pub watched: Vec<Vec<ServerIx>>,
    /// Witnesses of each target.
    pub witnesses: Vec<Vec<ServerIx>>,
}

impl<'a> Town<'a> {
    pub fn new(fleet: &'a Fleet, servers: &'a [ServerIx], thickness: &'a Thickness) -> Self {
        let count = fleet.servers().len();
        let (watched, witnesses) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        Self { fleet, servers, thickness, load: vec![0; count], watched, witnesses }
    }

    /// Adds a witness if it is another server, is no witness of the target, and has room.
    pub fn add(&mut self, witness: ServerIx, target: ServerIx) -> bool {
        let probes = self.fleet.server(target).entry_points.len();
        if !self.may_watch(witness, target) || self.load[witness.at()] + probes > self.thickness.capacity {
            return false;
        }
        self.load[witness.at()] += probes;
        self.watched[witness.at()].push(target);
        self.witnesses[target.at()].push(witness);
        true
    }

    /// Whether a server is another than the target and no witness of it.
    pub fn may_watch(&self, witness: ServerIx, target: ServerIx) -> bool {
        witness != target && !self.witnesses[target.at()].contains(&witness)
    }

    /// Whether a server's site is another than the target's and those of its witnesses.
    pub fn is_new_site(&self, witness: ServerIx, target: ServerIx) -> bool {
        let site = |ix: ServerIx| self.fleet.server(ix).site;
        site(witness) != site(target) && self.witnesses[target.at()].iter().all(|other| site(*other) != site(witness))
    }
}
