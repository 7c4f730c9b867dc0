//! What the picture of the mesh shows, in words: captions for whoever looks at red cells and wonders what they mean.
//!
//! A failing cell is a witness that does not see an entry point. Failing cells fall into figures:
//!
//! ```text
//! target   · x · ·    witness  · · · ·    cross   · x · ·    block   x x · ·    pair   · · · ·
//! a column · x · ·    a row    x x x x    both    x x x x    between x x · ·    a cell · · x ·
//!          · x · ·             · · · ·            · x · ·    groups  · · · ·    or two · · · ·
//! ```
//!
//! A cell may lie in several, and is told once: the figure that tells most cells is told first, then the one that tells most
//! of the rest, and so on; of two that tell as many, the cross before the block, the block before the column, the column
//! before the row. What lies in no figure is a broken pair. So the strongest comes first, and the same evaluation gives the
//! same captions.
//!
//! A column is told if most of those asked cannot see it, or the verdict is that it is unreachable: the numbers are the
//! badge's. A row is told if R3 does not believe the witness, also where an earlier success still speaks for it, or R10
//! calls it half-blind. A block needs two servers on either side, most of their side, each of which gets along with others:
//! else it is about them, not about the way between. Its sides are countries, a country and the rest, or islands.
//!
//! Refuses to know: what ought to be done, and any verdict that is not in the evaluation already. It accuses nobody.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;

use self::figure::{Drawing, Figure};
use crate::fleet::{Country, EntryIx, Fleet, ServerIx};
use crate::mesh::{self, Mesh};
use crate::verdict::Verdicts;

mod block;
mod column;
mod figure;
mod pair;
mod row;

/// More captions than these are read by nobody.
pub const CAPTIONS_MAX: usize = 20;

/// What a caption is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A column: a server or an entry point that most cannot see.
    Target,
    /// A row: a witness that sees few.
    Witness,
    /// Two groups of servers, or one within itself: the way between them.
    Block,
    /// A column and a row: a server that is off the net both ways.
    Cross,
    /// One or both directions between two servers.
    Pair,
    /// How many failing cells no other caption tells of.
    More,
}

impl Kind {
    /// The word used in outputs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Target => "target",
            Self::Witness => "witness",
            Self::Block => "block",
            Self::Cross => "cross",
            Self::Pair => "pair",
            Self::More => "more",
        }
    }
}

/// One sentence about the mesh, and what it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caption {
    /// What it is about.
    pub kind: Kind,
    /// The servers that it names or sums up, ascending.
    pub servers: Vec<ServerIx>,
    /// The countries that it names, ascending.
    pub countries: Vec<Country>,
    /// Where its cells are: the failing ones within these.
    pub parts: Vec<Part>,
    /// How many failing cells it tells of that no caption before it does.
    pub cells: usize,
    /// The sentence, without a full stop.
    pub text: String,
}

/// A part of the mesh: these rows by these columns.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Part {
    /// Ascending.
    pub witnesses: Vec<ServerIx>,
    /// Ascending.
    pub targets: Vec<EntryIx>,
}

/// A witness that does not see an entry point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Cell {
    witness: ServerIx,
    target: EntryIx,
}

/// The captions of an evaluation, strongest first, at most [`CAPTIONS_MAX`] and one of kind [`Kind::More`].
pub fn captions(fleet: &Fleet, verdicts: &Verdicts) -> Vec<Caption> {
    let mesh = Mesh::read(fleet, verdicts);
    let failing = |target: EntryIx| {
        let witnesses = mesh::failing(fleet, target, &verdicts.entry_points[target.at()]);
        witnesses.into_iter().map(move |witness| Cell { witness, target })
    };
    let cells: Vec<Cell> = fleet.entry_ixs().flat_map(failing).collect();
    let drawing = Drawing::of(fleet, verdicts, &mesh, &cells);
    let (figures, untold, lone) = strongest(&drawing, &cells);
    let mut captions: Vec<Caption> = figures.iter().map(|(figure, cells)| drawing.caption(*figure, *cells)).collect();
    let told: BTreeSet<ServerIx> = figures.iter().flat_map(|(figure, _)| drawing.witnesses(*figure)).collect();
    // Of these no failing cell is left to be told: an earlier success or another figure says more of each.
    let doubted = drawing.doubted().filter(|witness| !told.contains(witness)).take(CAPTIONS_MAX);
    captions.extend(doubted.map(|witness| drawing.caption(Figure::Witness(witness), 0)));
    captions.extend(pair::captions(fleet, verdicts, &lone));
    let left_out: usize = captions.iter().skip(CAPTIONS_MAX).map(|caption| caption.cells).sum();
    captions.truncate(CAPTIONS_MAX);
    captions.extend(more(left_out + untold));
    captions
}

/// The figures that tell most, each with how many cells it tells of that none before it does; how many cells of figures
/// are left when there are too many of them; and the cells that are in no figure.
fn strongest(drawing: &Drawing<'_>, cells: &[Cell]) -> (Vec<(Figure, usize)>, usize, Vec<Cell>) {
    let (mut lone, mut untold) = (Vec::new(), Vec::new());
    let mut counts: BTreeMap<Figure, usize> = BTreeMap::new();
    for cell in cells {
        let figures = drawing.figures(*cell);
        if figures.is_empty() {
            lone.push(*cell);
            continue;
        }
        for figure in &figures {
            *counts.entry(*figure).or_default() += 1;
        }
        untold.push(figures);
    }
    let mut chosen = Vec::new();
    while chosen.len() < CAPTIONS_MAX && !untold.is_empty() {
        let best = counts.iter().min_by_key(|(figure, count)| (Reverse(**count), **figure));
        let Some((best, count)) = best.map(|(figure, count)| (*figure, *count)) else { break };
        chosen.push((best, count));
        untold.retain(|figures| {
            let is_told = figures.contains(&best);
            for figure in figures.iter().filter(|_| is_told) {
                counts.entry(*figure).and_modify(|count| *count -= 1);
            }
            !is_told
        });
    }
    (chosen, untold.len(), lone)
}

fn more(cells: usize) -> Option<Caption> {
    let text = match cells {
        0 => return None,
        1 => String::from("1 more failing cell is not told here"),
        _ => format!("{cells} more failing cells are not told here"),
    };
    Some(Caption { kind: Kind::More, servers: Vec::new(), countries: Vec::new(), parts: Vec::new(), cells, text })
}

#[cfg(test)]
mod tests;
