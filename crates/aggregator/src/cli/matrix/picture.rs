//! The matrix as it is drawn: witnesses and entry points by country, site and name, servers numbered in that order.

use std::collections::BTreeMap;

use crate::api::matrix::{Matrix, PairWord, Row};
use crate::api::view::ServerRow;

/// Where a server stands, and the lanes of its entry points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub country: Option<String>,
    pub site: String,
    pub lanes: BTreeMap<String, String>,
}

impl Place {
    pub fn of(row: ServerRow) -> (String, Self) {
        let lanes = row.entry_points.into_iter().map(|point| (point.id, point.lane)).collect();
        (row.id, Self { country: row.country, site: row.site, lanes })
    }
}

/// Rows and columns in the order in which they are drawn.
#[derive(Debug)]
pub struct Picture {
    pub lines: Vec<Line>,
    pub columns: Vec<Column>,
    /// The servers that are numbered and have no row: whoever reads a number finds its name here.
    pub legend: Vec<(usize, String)>,
    /// What the letters over the columns mean, where servers have several entry points.
    pub letters: Vec<(char, String)>,
}

/// A witness.
#[derive(Debug)]
pub struct Line {
    pub number: usize,
    pub id: String,
    pub country: Option<String>,
    pub silent: bool,
    /// Whether it is discredited on any lane.
    pub discredited: bool,
    /// In the order of the columns.
    pub cells: Vec<Square>,
}

/// An entry point.
#[derive(Debug)]
pub struct Column {
    pub number: usize,
    pub country: Option<String>,
    pub letter: char,
}

/// One cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Square {
    pub word: PairWord,
    /// The witness's own entry point.
    pub own: bool,
    /// What the witness says on this lane is discarded.
    pub discredited: bool,
}

/// `nl-1` of `nl-1/tls`.
pub fn server_of(entry_point: &str) -> &str {
    entry_point.split_once('/').map_or(entry_point, |(server, _)| server)
}

fn name_of(entry_point: &str) -> &str {
    entry_point.split_once('/').map_or(entry_point, |(_, name)| name)
}

impl Picture {
    pub fn of(matrix: &Matrix, places: &BTreeMap<String, Place>) -> Self {
        // Servers without a country last.
        let place = |id: &str| {
            let found = places.get(id);
            let country = found.and_then(|place| place.country.clone());
            (country.is_none(), country, found.map(|place| place.site.clone()), id.to_owned())
        };
        let mut columns: Vec<(usize, &String)> = matrix.entry_points.iter().enumerate().collect();
        columns.sort_by_cached_key(|(_, id)| (place(server_of(id)), (*id).clone()));
        let mut rows: Vec<&Row> = matrix.rows.iter().collect();
        rows.sort_by_cached_key(|row| place(&row.witness));

        let ids = rows.iter().map(|row| row.witness.as_str()).chain(columns.iter().map(|(_, id)| server_of(id)));
        let mut known: Vec<&str> = ids.collect();
        known.sort_by_cached_key(|id| place(id));
        known.dedup();
        let numbers: BTreeMap<&str, usize> = known.iter().enumerate().map(|(nth, id)| (*id, nth + 1)).collect();
        let letters = letters(columns.iter().map(|(_, id)| name_of(id)));
        let lane_of = |id: &str| places.get(server_of(id)).and_then(|place| place.lanes.get(id));
        let line = |row: &&Row| Line {
            number: numbers[row.witness.as_str()],
            id: row.witness.clone(),
            country: row.country.clone(),
            silent: row.silent,
            discredited: !row.discredited.is_empty(),
            cells: columns
                .iter()
                .map(|(nth, id)| Square {
                    word: row.cells.get(*nth).map_or(PairWord::Unknown, |cell| cell.state),
                    own: server_of(id) == row.witness,
                    discredited: lane_of(id).is_some_and(|lane| row.discredited.contains(lane)),
                })
                .collect(),
        };
        let has_row = |id: &str| rows.iter().any(|row| row.witness == id);
        let legend = numbers.iter().filter(|(id, _)| !has_row(id)).map(|(id, nth)| (*nth, (*id).to_owned()));
        let mut legend: Vec<(usize, String)> = legend.collect();
        legend.sort_unstable();
        Self {
            lines: rows.iter().map(line).collect(),
            columns: columns
                .iter()
                .map(|(_, id)| Column {
                    number: numbers[server_of(id)],
                    country: places.get(server_of(id)).and_then(|place| place.country.clone()),
                    letter: letters[name_of(id)],
                })
                .collect(),
            legend,
            letters: letters.iter().map(|(name, letter)| (*letter, (*name).to_owned())).collect(),
        }
    }

    /// Whether a letter over a column tells anything.
    pub fn has_letters(&self) -> bool {
        self.columns.windows(2).any(|pair| pair[0].number == pair[1].number)
    }
}

/// A letter for each name of an entry point: its first that is free, else any that is.
fn letters<'a>(names: impl Iterator<Item = &'a str>) -> BTreeMap<&'a str, char> {
    let mut letters: BTreeMap<&str, char> = BTreeMap::new();
    for name in names {
        if letters.contains_key(name) {
            continue;
        }
        let is_free = |letter: &char| letter.is_ascii_alphanumeric() && !letters.values().any(|used| used == letter);
        let letter = name.chars().find(&is_free).or_else(|| ('a'..='z').chain('A'..='Z').find(&is_free));
        letters.insert(name, letter.unwrap_or('*'));
    }
    letters
}
