//! The fleet as a rule walks it: dense, with what it asks of each outcome looked up once.

use std::sync::Arc;

use quorate_core::fleet::{EntryIx, Fleet, Intent, ServerIx};

use super::plan::Plan;

/// A fleet in force.
pub(super) struct Mesh {
    pub fleet: Arc<Fleet>,
    /// By entry point.
    owners: Vec<ServerIx>,
    /// By entry point: its server is not disabled.
    judged: Vec<bool>,
    /// Who looks at whom.
    pub plan: Plan,
}

/// How many there are of each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub servers: usize,
    pub entry_points: usize,
}

/// One value for each pair of a witness and an entry point, a row for each witness.
#[derive(Debug, Clone)]
pub(super) struct Grid<T> {
    cells: Vec<T>,
    width: usize,
}

/// Where what was known of an old fleet's servers and entry points belongs in a new one.
pub(super) struct Moves {
    pub servers: Vec<Option<ServerIx>>,
    pub entry_points: Vec<Option<EntryIx>>,
}

impl Mesh {
    pub fn new(fleet: Arc<Fleet>) -> Self {
        let owners = fleet.entry_points().iter().map(|entry_point| entry_point.server).collect();
        let judged = fleet.entry_ixs().map(|ix| fleet.owner(ix).intent != Intent::Disabled).collect();
        let plan = Plan::new(size(&fleet));
        Self { fleet, owners, judged, plan }
    }

    pub fn owner(&self, ix: EntryIx) -> ServerIx {
        self.owners[ix.at()]
    }

    /// Whether the witness's word on it is evidence: about others, and about who is not switched off.
    pub fn is_evidence(&self, witness: ServerIx, ix: EntryIx) -> bool {
        self.owners[ix.at()] != witness && self.judged[ix.at()]
    }

    /// Whether the server probes.
    pub fn probes(&self, server: ServerIx) -> bool {
        self.fleet.server(server).intent != Intent::Disabled
    }

    /// Entry points that verdicts are made about.
    pub fn judged(&self) -> impl Iterator<Item = EntryIx> + '_ {
        self.fleet.entry_ixs().filter(|ix| self.judged[ix.at()])
    }

    /// One of each pair.
    pub fn grid<T: Clone>(&self, fill: T) -> Grid<T> {
        Grid::new(size(&self.fleet), fill)
    }

    pub fn size(&self) -> Size {
        size(&self.fleet)
    }

    /// One of each entry point.
    pub fn column<T: Clone>(&self, fill: T) -> Vec<T> {
        vec![fill; self.owners.len()]
    }

    /// Evidence stays with an entry point at the address that was dialled, whoever's rule it is.
    pub fn moves_to(&self, new: &Self) -> Moves {
        let servers = self.fleet.servers().iter().map(|server| new.fleet.find_server(&server.id)).collect();
        let kept = |ix: EntryIx| {
            let before = self.fleet.entry_point(ix);
            let to = new.fleet.find_entry_point(&before.id)?;
            let after = new.fleet.entry_point(to);
            let same = self.fleet.owner(ix).id == new.fleet.owner(to).id
                && (before.lane, &before.address, &before.probe) == (after.lane, &after.address, &after.probe);
            same.then_some(to)
        };
        Moves { servers, entry_points: self.fleet.entry_ixs().map(kept).collect() }
    }
}

fn size(fleet: &Fleet) -> Size {
    Size { servers: fleet.servers().len(), entry_points: fleet.entry_points().len() }
}

impl<T: Clone> Grid<T> {
    pub fn new(size: Size, fill: T) -> Self {
        Self { cells: vec![fill; size.servers * size.entry_points], width: size.entry_points }
    }

    pub fn row(&self, witness: ServerIx) -> &[T] {
        &self.cells[witness.at() * self.width..][..self.width]
    }

    pub fn row_mut(&mut self, witness: ServerIx) -> &mut [T] {
        &mut self.cells[witness.at() * self.width..][..self.width]
    }

    pub fn get(&self, witness: ServerIx, ix: EntryIx) -> &T {
        &self.cells[witness.at() * self.width + ix.at()]
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.cells.iter()
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.cells.iter_mut()
    }

    /// The same over another fleet; what is new begins with `fill`.
    pub fn over(&self, new: Size, moves: &Moves, fill: T) -> Self {
        let mut next = Self::new(new, fill);
        for (row, to) in self.cells.chunks(self.width.max(1)).zip(&moves.servers) {
            let Some(to) = to else { continue };
            let kept = moves.move_column(row, next.row(*to).to_vec());
            next.row_mut(*to).clone_from_slice(&kept);
        }
        next
    }
}

impl Moves {
    /// What was known of each entry point, over `fresh` of the new fleet.
    pub fn move_column<T: Clone>(&self, old: &[T], fresh: Vec<T>) -> Vec<T> {
        moved(old, &self.entry_points, |to| to.at(), fresh)
    }

    /// What was known of each server, over `fresh` of the new fleet.
    pub fn move_servers<T: Clone>(&self, old: &[T], fresh: Vec<T>) -> Vec<T> {
        moved(old, &self.servers, |to| to.at(), fresh)
    }
}

fn moved<T: Clone, Ix>(old: &[T], to: &[Option<Ix>], at: fn(&Ix) -> usize, mut fresh: Vec<T>) -> Vec<T> {
    for (value, to) in old.iter().zip(to) {
        if let Some(to) = to {
            fresh[at(to)] = value.clone();
        }
    }
    fresh
}
