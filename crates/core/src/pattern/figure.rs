//! The figures of an evaluation: which ones there are, which cells lie in each, and what is said of it.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;

use super::block::{Block, Blocks};
use super::row::{self, Row};
use super::{Caption, Cell, Kind, Part, column};
use crate::fleet::{EntryIx, Fleet, ServerIx};
use crate::islands;
use crate::label::Unseen;
use crate::mesh::{self, Mesh};
use crate::verdict::Verdicts;

/// One figure; of two that tell as many cells, the lesser is told first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Figure {
    /// A server's columns and its row.
    Cross(ServerIx),
    /// The way between two sides.
    Block(Block),
    /// All columns of a server.
    Target(ServerIx),
    /// The column of one entry point.
    Entry(EntryIx),
    /// The row of a witness.
    Witness(ServerIx),
}

/// All figures.
pub(super) struct Drawing<'a> {
    fleet: &'a Fleet,
    verdicts: &'a Verdicts,
    blocks: Blocks<'a>,
    /// By server index.
    rows: Vec<Option<Row>>,
    /// By server index: whether it is told as a whole.
    wholes: Vec<bool>,
}

impl<'a> Drawing<'a> {
    pub fn of(fleet: &'a Fleet, verdicts: &'a Verdicts, mesh: &Mesh, cells: &[Cell]) -> Self {
        let islands = islands::of_mesh(fleet, verdicts, mesh);
        let mut wholes = alloc::vec![false; fleet.servers().len()];
        let mut judged = wholes.clone();
        for cell in cells {
            let target = fleet.entry_point(cell.target).server;
            if !judged[target.at()] {
                judged[target.at()] = true;
                wholes[target.at()] = column::is_whole(fleet, verdicts, target);
            }
        }
        Self {
            fleet,
            verdicts,
            blocks: Blocks::of(fleet, mesh, islands, cells),
            rows: verdicts.servers.iter().map(row::row).collect(),
            wholes,
        }
    }

    /// The figures that a cell lies in.
    pub fn figures(&self, cell: Cell) -> Vec<Figure> {
        let entry_point = self.fleet.entry_point(cell.target);
        let mut figures: Vec<Figure> = self.blocks.holding(cell).into_iter().map(Figure::Block).collect();
        if self.wholes[entry_point.server.at()] {
            figures.push(Figure::Target(entry_point.server));
        } else if column::is_single(&self.verdicts.entry_points[cell.target.at()]) {
            figures.push(Figure::Entry(cell.target));
        }
        if self.is_cross(entry_point.server) {
            figures.push(Figure::Cross(entry_point.server));
        }
        // A row is of the lanes that it is told of, also where it is an arm of a cross.
        if self.rows[cell.witness.at()].is_some_and(|row| row.lanes.contains(entry_point.lane)) {
            figures.push(Figure::Witness(cell.witness));
            figures.extend(self.is_cross(cell.witness).then_some(Figure::Cross(cell.witness)));
        }
        figures
    }

    /// Witnesses whose rows are told, whether or not a cell of them fails.
    pub fn doubted(&self) -> impl Iterator<Item = ServerIx> + '_ {
        self.fleet.server_ixs().filter(|ix| self.rows[ix.at()].is_some())
    }

    /// Witnesses that a figure says something about.
    pub fn witnesses(&self, figure: Figure) -> Vec<ServerIx> {
        match figure {
            Figure::Cross(ix) | Figure::Witness(ix) => alloc::vec![ix],
            Figure::Target(_) | Figure::Entry(_) => Vec::new(),
            Figure::Block(block) => {
                self.blocks.directions(block).into_iter().flat_map(|way| way.witnesses.iter().copied()).collect()
            }
        }
    }

    /// What is said of a figure that tells so many cells.
    pub fn caption(&self, figure: Figure, cells: usize) -> Caption {
        let Self { fleet, verdicts, .. } = *self;
        let of_one = |kind: Kind, ix: ServerIx, parts: Vec<Part>, text| Caption {
            kind,
            servers: alloc::vec![ix],
            countries: Vec::new(),
            parts,
            cells,
            text,
        };
        match figure {
            Figure::Target(ix) => {
                let text = column::whole(fleet, verdicts, ix);
                of_one(Kind::Target, ix, alloc::vec![self.column(&fleet.server(ix).entry_points)], text)
            }
            Figure::Entry(ix) => {
                let text = column::single(fleet, verdicts, ix);
                of_one(Kind::Target, fleet.entry_point(ix).server, alloc::vec![self.column(&[ix])], text)
            }
            Figure::Witness(ix) => of_one(Kind::Witness, ix, alloc::vec![self.row(ix)], row::text(fleet, verdicts, ix)),
            Figure::Cross(ix) => {
                let parts = alloc::vec![self.column(&fleet.server(ix).entry_points), self.row(ix)];
                let sight = row::sight(&verdicts.servers[ix.at()]);
                let unseen = Unseen::of(fleet, verdicts, ix);
                let text = format!("{} is off the net both ways: it {sight}, and {unseen}", fleet.server(ix).id);
                of_one(Kind::Cross, ix, parts, text)
            }
            Figure::Block(block) => self.block(block, cells),
        }
    }

    fn block(&self, block: Block, cells: usize) -> Caption {
        let ways = self.blocks.directions(block);
        let is_in = |ix: &ServerIx| ways.iter().any(|way| way.witnesses.contains(ix) || way.targets.contains(ix));
        let parts = ways.iter().map(|way| Part {
            witnesses: way.witnesses.iter().copied().collect(),
            targets: way.targets.iter().flat_map(|ix| self.fleet.server(*ix).entry_points.iter().copied()).collect(),
        });
        Caption {
            kind: Kind::Block,
            servers: self.fleet.server_ixs().filter(is_in).collect(),
            countries: block.countries(),
            parts: parts.collect(),
            cells,
            text: self.blocks.text(block),
        }
    }

    /// Whether a server is out of sight as a target and sees few as a witness.
    fn is_cross(&self, ix: ServerIx) -> bool {
        self.wholes[ix.at()] && self.rows[ix.at()].is_some_and(|row| row.is_whole)
    }

    fn column(&self, targets: &[EntryIx]) -> Part {
        let failing =
            targets.iter().flat_map(|ix| mesh::failing(self.fleet, *ix, &self.verdicts.entry_points[ix.at()]));
        let witnesses: BTreeSet<ServerIx> = failing.collect();
        Part { witnesses: witnesses.into_iter().collect(), targets: targets.to_vec() }
    }

    fn row(&self, ix: ServerIx) -> Part {
        let lanes = self.rows[ix.at()].map(|row| row.lanes).unwrap_or_default();
        let on_lane = |target: &EntryIx| lanes.contains(self.fleet.entry_point(*target).lane);
        Part { witnesses: alloc::vec![ix], targets: self.fleet.entry_ixs().filter(on_lane).collect() }
    }
}
