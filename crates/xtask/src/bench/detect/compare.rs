//! Quorate beside the best rival, figure by figure: who wins, and whether by more than chance.
//!
//! The best rival is another one for each figure, the one that is hardest to beat; that it may pay for it in the others is
//! for the whole table to show. Somebody wins where the two intervals have nothing in common.

use super::board::{Board, EQUAL, OURS, Row};
use super::figure::{self, Figure, Measured};

/// Who is better by more than chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Winner {
    Ours,
    Rival,
    Nobody,
}

/// A figure of a scenario under equal detection.
pub struct Duel<'a> {
    pub scenario: &'a str,
    pub figure: Figure,
    pub ours: Measured,
    pub theirs: Measured,
    pub rival: &'a Row,
}

impl Duel<'_> {
    pub fn winner(&self) -> Winner {
        if self.ours.high < self.theirs.low {
            Winner::Ours
        } else if self.theirs.high < self.ours.low {
            Winner::Rival
        } else {
            Winner::Nobody
        }
    }
}

/// The figure in a scenario, if both sides have it.
pub fn duel<'a>(board: &'a Board, scenario: &'a str, figure: Figure) -> Option<Duel<'a>> {
    let ours = board.row(scenario, EQUAL, OURS)?.figure(figure)?;
    let rivals = board.of(scenario, EQUAL).filter(|row| row.is_rival());
    let theirs = rivals.filter_map(|row| Some((row, row.figure(figure)?)));
    let (rival, theirs) =
        theirs.min_by(|(_, a), (_, b)| a.value.total_cmp(&b.value).then(a.high.total_cmp(&b.high)))?;
    Some(Duel { scenario, figure, ours, theirs, rival })
}

/// All duels that a rival wins.
pub fn lost(board: &Board) -> Vec<Duel<'_>> {
    let all = board.scenarios.iter().flat_map(|scenario| figure::ALL.map(|figure| duel(board, &scenario.name, figure)));
    all.flatten().filter(|duel| duel.winner() == Winner::Rival).collect()
}
