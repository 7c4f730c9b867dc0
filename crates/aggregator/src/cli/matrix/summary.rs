//! The matrix summed up by country, where a character for each pair does not fit: how many pairs are lost, of how many that
//! are probed.
//!
//! What does not fit even so is the columns in which least is lost; it is said how many, and how to see them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::grid::sentence;
use super::picture::Picture;
use crate::api::matrix::PairWord;

/// What stands for servers without a country.
const NOWHERE: &str = "–";
/// Between two columns.
const GAP: usize = 2;

/// Pairs that are probed, and what is said of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Count {
    lost: usize,
    seen: usize,
    probed: usize,
}

impl Count {
    fn add(&mut self, word: PairWord) {
        self.probed += usize::from(word != PairWord::NotProbed);
        self.seen += usize::from(word == PairWord::Sees);
        self.lost += usize::from(matches!(word, PairWord::Sustained | PairWord::Held));
    }

    fn text(self) -> String {
        match self {
            Self { probed: 0, .. } => String::new(),
            Self { lost: 0, seen: 0, .. } => "?".to_owned(),
            Self { lost: 0, .. } => "·".to_owned(),
            Self { lost, probed, .. } => format!("{lost}/{probed}"),
        }
    }

    const fn colour(self) -> &'static str {
        match self {
            Self { lost: 0, seen: 0, .. } => "\x1b[2m",
            Self { lost: 0, .. } => "\x1b[32m",
            Self { lost, probed, .. } if 2 * lost > probed => "\x1b[1;31m",
            Self { .. } => "\x1b[33m",
        }
    }
}

/// The lines, coloured, none wider than `width` unless it is narrower than a single column.
pub fn drawn(picture: &Picture, width: usize) -> Vec<String> {
    let counts = counts(picture);
    let country = |code: &Option<String>| code.clone().unwrap_or_else(|| NOWHERE.to_owned());
    let mut rows: Vec<String> = picture.lines.iter().map(|line| country(&line.country)).collect();
    rows.dedup();
    let mut columns: Vec<String> = picture.columns.iter().map(|column| country(&column.country)).collect();
    columns.dedup();
    let count = |row: &str, column: &str| counts.get(&(row.to_owned(), column.to_owned())).copied().unwrap_or_default();

    let cell = columns
        .iter()
        .flat_map(|column| rows.iter().map(|row| count(row, column).text().chars().count()))
        .max()
        .unwrap_or_default()
        .max(2);
    let fitting = (width.saturating_sub(2) / (cell + GAP)).max(1);
    let left_out = columns.len().saturating_sub(fitting);
    if left_out > 0 {
        let lost = |column: &String| rows.iter().map(|row| count(row, column).lost).sum::<usize>();
        let mut worst: Vec<&String> = columns.iter().collect();
        worst.sort_by_key(|column| Reverse(lost(column)));
        let kept: Vec<String> = worst.into_iter().take(fitting).cloned().collect();
        columns.retain(|column| kept.contains(column));
    }

    let mut lines = vec![heading(&columns, cell)];
    for row in &rows {
        let cells = columns.iter().map(|column| count(row, column));
        lines.push(
            format!("{row:2}{}", cells.map(|count| painted(count, cell)).collect::<String>()).trim_end().to_owned(),
        );
    }
    lines.push(String::new());
    lines.extend(sentence(
        "By country: lost of probed; · nothing is lost; ? nothing is known; blank: not probed",
        width,
    ));
    let (witnesses, targets) = (picture.lines.len(), picture.columns.len());
    let less = match left_out {
        0 => String::new(),
        1 => " One country is left out, in which nobody has lost more.".to_owned(),
        many => format!(" {many} countries are left out, in which nobody has lost more."),
    };
    let why = format!(
        "{witnesses} by {targets} pairs do not fit into {width} columns, so they are summed up.{less} Narrow it with \
         --country, --witness or --target."
    );
    lines.extend(sentence(&why, width));
    lines
}

fn counts(picture: &Picture) -> BTreeMap<(String, String), Count> {
    let country = |code: &Option<String>| code.clone().unwrap_or_else(|| NOWHERE.to_owned());
    let mut counts: BTreeMap<(String, String), Count> = BTreeMap::new();
    for line in &picture.lines {
        for (cell, column) in line.cells.iter().zip(&picture.columns).filter(|(cell, _)| !cell.own) {
            counts.entry((country(&line.country), country(&column.country))).or_default().add(cell.word);
        }
    }
    counts
}

fn heading(columns: &[String], cell: usize) -> String {
    let codes: String = columns.iter().map(|column| format!("{:GAP$}{column:>cell$}", "")).collect();
    format!("  {codes}")
}

fn painted(count: Count, cell: usize) -> String {
    let text = count.text();
    let air = " ".repeat(GAP + cell - text.chars().count());
    if text.is_empty() { air } else { format!("{air}{}{text}\x1b[0m", count.colour()) }
}
