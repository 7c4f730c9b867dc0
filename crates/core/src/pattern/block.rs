//! Blocks: most servers of one side cannot see most of another, and each of them gets along with somebody else.
//!
//! That last condition tells the way between two groups from the groups themselves: servers that nobody sees are columns,
//! witnesses that see nobody are rows, whatever flag they fly.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::Cell;
use crate::fleet::{Country, Fleet, ServerIx};
use crate::mesh::Mesh;
use crate::words;

/// One side of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    /// The servers of a country.
    In(Country),
    /// All others.
    Outside(Country),
    /// An island, by its place among them.
    Island(usize),
}

/// A block, in one direction or in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Block {
    pub from: Side,
    pub to: Side,
    pub both_ways: bool,
}

/// Who makes a block in one direction, of how many that give evidence.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Members {
    pub witnesses: BTreeSet<ServerIx>,
    pub judging: usize,
    pub targets: BTreeSet<ServerIx>,
    pub judged: usize,
}

/// How many a server gives evidence on, or has evidence on it from, and how many of these are lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Count {
    all: u32,
    lost: u32,
}

impl Count {
    fn of(self, is_lost: bool) -> Self {
        Self { all: self.all + 1, lost: self.lost + u32::from(is_lost) }
    }

    fn without(self, other: Self) -> Self {
        Self { all: self.all - other.all, lost: self.lost - other.lost }
    }

    fn is_mostly_lost(self) -> bool {
        2 * self.lost > self.all
    }

    fn sees_any(self) -> bool {
        self.all > self.lost
    }
}

/// One server's counts by the other side's country, and all together.
#[derive(Debug, Clone, Default)]
struct Counts {
    by_country: BTreeMap<Country, Count>,
    total: Count,
}

impl Counts {
    fn add(&mut self, country: Option<Country>, is_lost: bool) {
        self.total = self.total.of(is_lost);
        if let Some(country) = country {
            let count = self.by_country.entry(country).or_default();
            *count = count.of(is_lost);
        }
    }

    fn on(&self, side: Side) -> Count {
        let within = |country| self.by_country.get(country).copied().unwrap_or_default();
        match side {
            Side::In(country) => within(&country),
            Side::Outside(country) => self.total.without(within(&country)),
            Side::Island(_) => Count::default(),
        }
    }
}

/// All blocks of an evaluation, by direction.
#[derive(Debug)]
pub(super) struct Blocks<'a> {
    fleet: &'a Fleet,
    islands: Vec<Vec<ServerIx>>,
    island_of: BTreeMap<ServerIx, usize>,
    found: BTreeMap<(Side, Side), Members>,
}

impl<'a> Blocks<'a> {
    pub fn of(fleet: &'a Fleet, mesh: &Mesh, islands: Vec<Vec<ServerIx>>, cells: &[Cell]) -> Self {
        let numbered = islands.iter().enumerate();
        let island_of = numbered.flat_map(|(nth, island)| island.iter().map(move |ix| (*ix, nth))).collect();
        let mut blocks = Self { fleet, islands, island_of, found: BTreeMap::new() };
        if cells.is_empty() {
            return blocks;
        }
        let (witnesses, targets) = counts(fleet, mesh);
        let ways: BTreeSet<(Side, Side)> = cells.iter().flat_map(|cell| blocks.ways(*cell)).collect();
        for (from, to) in ways {
            let members = match (from, to) {
                (Side::Island(from), Side::Island(to)) => blocks.between_islands(mesh, from, to),
                _ => between_countries(fleet, from, to, &witnesses, &targets),
            };
            if let Some(members) = members {
                blocks.found.insert((from, to), members);
            }
        }
        blocks
    }

    /// The blocks that a cell lies in.
    pub fn holding(&self, cell: Cell) -> Vec<Block> {
        let target = self.fleet.entry_point(cell.target).server;
        let mut blocks = Vec::new();
        for (from, to) in self.ways(cell) {
            let Some(members) = self.found.get(&(from, to)) else { continue };
            if !members.witnesses.contains(&cell.witness) || !members.targets.contains(&target) {
                continue;
            }
            blocks.push(Block { from, to, both_ways: false });
            if from != to && self.found.contains_key(&(to, from)) {
                blocks.push(Block { from: from.min(to), to: from.max(to), both_ways: true });
            }
        }
        blocks
    }

    /// Who makes a block: in one direction, then in the other if it has two.
    pub fn directions(&self, block: Block) -> Vec<&Members> {
        let ways = [Some((block.from, block.to)), block.both_ways.then_some((block.to, block.from))];
        ways.into_iter().flatten().filter_map(|way| self.found.get(&way)).collect()
    }

    /// All directions between sides that a cell may be part of.
    fn ways(&self, cell: Cell) -> Vec<(Side, Side)> {
        let target = self.fleet.entry_point(cell.target).server;
        let (from, to) = (self.fleet.server(cell.witness).country, self.fleet.server(target).country);
        let mut ways = Vec::with_capacity(4);
        if let (Some(from), Some(to)) = (from, to) {
            ways.push((Side::In(from), Side::In(to)));
        }
        if from != to {
            ways.extend(from.map(|from| (Side::In(from), Side::Outside(from))));
            ways.extend(to.map(|to| (Side::Outside(to), Side::In(to))));
        }
        if let (Some(from), Some(to)) = (self.island_of.get(&cell.witness), self.island_of.get(&target))
            && from != to
        {
            ways.push((Side::Island(*from), Side::Island(*to)));
        }
        ways
    }

    /// Between islands every word that says anything says "lost", or is contradicted.
    fn between_islands(&self, mesh: &Mesh, from: usize, to: usize) -> Option<Members> {
        let (from, to) = (&self.islands[from], &self.islands[to]);
        let mut members = Members { judging: from.len(), judged: to.len(), ..Members::default() };
        for target in to {
            let lost_to: Vec<ServerIx> = mesh.lost_to[target.at()]
                .iter()
                .copied()
                .filter(|witness| from.binary_search(witness).is_ok())
                .collect();
            if !lost_to.is_empty() {
                members.targets.insert(*target);
                members.witnesses.extend(lost_to);
            }
        }
        members.is_block().then_some(members)
    }

    /// "servers in RU cannot see those in NL (3 of 3, 4 of 4)".
    pub fn text(&self, block: Block) -> String {
        let Some(there) = self.found.get(&(block.from, block.to)) else { return String::new() };
        let numbers = |of_from: (usize, usize), of_to: (usize, usize)| {
            format!("({} of {}, {} of {})", of_from.0, of_from.1, of_to.0, of_to.1)
        };
        let witnesses = (there.witnesses.len(), there.judging);
        let one_way = numbers(witnesses, (there.targets.len(), there.judged));
        let back = self.found.get(&(block.to, block.from)).filter(|_| block.both_ways);
        match (block.from, block.to, back) {
            (from, to, Some(back)) => {
                let numbers = numbers(witnesses, (back.witnesses.len(), back.judging));
                format!("{} and {} cannot see each other {numbers}", self.side(from), self.other(from, to))
            }
            (Side::In(country), to, None) if to == Side::In(country) => {
                format!("servers in {country} cannot see one another ({} of {})", witnesses.0, witnesses.1)
            }
            (Side::Outside(country), _, None) => {
                format!("servers outside {country} cannot see those in it {one_way}")
            }
            (from @ Side::In(_), to, None) => {
                format!("{} cannot see those {} {one_way}", self.side(from), self.other(from, to))
            }
            (from, to, None) => format!("{} cannot see {} {one_way}", self.side(from), self.other(from, to)),
        }
    }

    /// The side that a sentence begins with.
    fn side(&self, side: Side) -> String {
        match side {
            Side::In(country) => format!("servers in {country}"),
            Side::Outside(country) => format!("servers outside {country}"),
            Side::Island(nth) => format!("the island of {}", self.islanders(nth)),
        }
    }

    /// The one that it goes on with.
    fn other(&self, from: Side, to: Side) -> String {
        match to {
            Side::Outside(country) if from == Side::In(country) => String::from("outside it"),
            Side::Outside(country) => format!("outside {country}"),
            Side::In(country) => format!("in {country}"),
            Side::Island(nth) => format!("that of {}", self.islanders(nth)),
        }
    }

    fn islanders(&self, nth: usize) -> String {
        let island = &self.islands[nth];
        let shown: Vec<String> =
            island.iter().take(ISLANDERS_MAX).map(|ix| self.fleet.server(*ix).id.clone()).collect();
        words::few(&shown, island.len() - shown.len())
    }
}

/// Of an island so many are named: the sentence has two.
const ISLANDERS_MAX: usize = 5;

impl Block {
    /// The countries that its sentence names, ascending.
    pub fn countries(self) -> Vec<Country> {
        let of = |side| match side {
            Side::In(country) | Side::Outside(country) => Some(country),
            Side::Island(_) => None,
        };
        [self.from, self.to].into_iter().filter_map(of).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

impl Members {
    fn is_block(&self) -> bool {
        let (witnesses, targets) = (self.witnesses.len(), self.targets.len());
        witnesses >= 2 && targets >= 2 && 2 * witnesses > self.judging && 2 * targets > self.judged
    }
}

/// Everybody's counts, as a witness and as a target.
fn counts(fleet: &Fleet, mesh: &Mesh) -> (Vec<Counts>, Vec<Counts>) {
    let mut witnesses = alloc::vec![Counts::default(); fleet.servers().len()];
    let mut targets = witnesses.clone();
    for target in fleet.server_ixs() {
        let words = [(&mesh.seen_by, false), (&mesh.lost_to, true)];
        for (by_target, is_lost) in words {
            for witness in &by_target[target.at()] {
                witnesses[witness.at()].add(fleet.server(target).country, is_lost);
                targets[target.at()].add(fleet.server(*witness).country, is_lost);
            }
        }
    }
    (witnesses, targets)
}

fn between_countries(fleet: &Fleet, from: Side, to: Side, witnesses: &[Counts], targets: &[Counts]) -> Option<Members> {
    let of = |side: Side, ix: &ServerIx| match side {
        Side::In(country) => fleet.server(*ix).country == Some(country),
        Side::Outside(country) => fleet.server(*ix).country != Some(country),
        Side::Island(_) => false,
    };
    // Those of `side` that give evidence, and those of them that lost most of `other`, but not all of the rest.
    let lost = |side: Side, other: Side, counts: &[Counts]| {
        let speaking = fleet.server_ixs().filter(|ix| of(side, ix) && counts[ix.at()].on(other).all > 0);
        let speaking: Vec<ServerIx> = speaking.collect();
        let is_lost = |ix: &ServerIx| {
            let there = counts[ix.at()].on(other);
            there.is_mostly_lost() && counts[ix.at()].total.without(there).sees_any()
        };
        let lost: BTreeSet<ServerIx> = speaking.iter().copied().filter(is_lost).collect();
        (lost, speaking.len())
    };
    let (lost_witnesses, judging) = lost(from, to, witnesses);
    let (lost_targets, judged) = lost(to, from, targets);
    let members = Members { witnesses: lost_witnesses, judging, targets: lost_targets, judged };
    members.is_block().then_some(members)
}
