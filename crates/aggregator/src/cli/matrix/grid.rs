//! The matrix, a character for each pair, if it fits.
//!
//! ```text
//!              DE   NL
//!              1 2  3 4
//! DE  1 de-1   ╲ ·  · X
//!     2 de-2   · ╲  · X
//! NL  3 nl-1 ! · ·  ╲ ·
//! ```
//!
//! Columns have the numbers of the rows, so that the rows are the legend; a server with several entry points has as many
//! columns under its number. Colour is added to what a reader without it can tell as well.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::picture::{Column, Line, Picture, Square};
use crate::api::matrix::PairWord;

/// Longer names end in an ellipsis.
const ID_MAX: usize = 24;

pub const LEGEND: &str = "· sees   f failing   X sustained   H held   ? unknown   ╲ itself   blank: not probed";

/// The lines, coloured, if none is wider than `width`: with air between servers, or else without.
pub fn drawn(picture: &Picture, width: usize) -> Option<Vec<String>> {
    let label = label_width(picture);
    [Air::Some, Air::None].into_iter().find_map(|air| {
        let offsets = offsets(&picture.columns, air);
        let needed = label + offsets.last().map_or(0, |last| last + 1);
        (needed <= width).then(|| lines(picture, &offsets, label, width))
    })
}

#[derive(Clone, Copy)]
enum Air {
    Some,
    None,
}

/// Where each column stands, from the end of the labels.
fn offsets(columns: &[Column], air: Air) -> Vec<usize> {
    let (of_country, of_server) = match air {
        Air::Some => (3, 2),
        Air::None => (2, 1),
    };
    let mut offsets: Vec<usize> = Vec::with_capacity(columns.len());
    for (nth, column) in columns.iter().enumerate() {
        let before = nth.checked_sub(1).map(|before| (&columns[before], offsets[before]));
        offsets.push(match before {
            None => 0,
            Some((before, at)) if before.country != column.country => at + of_country,
            Some((before, at)) if before.number != column.number => at + of_server,
            Some((_, at)) => at + 1,
        });
    }
    offsets
}

fn lines(picture: &Picture, offsets: &[usize], label: usize, width: usize) -> Vec<String> {
    let mut lines: Vec<String> =
        heading(picture, offsets).into_iter().map(|text| format!("{:label$}{text}", "")).collect();
    let mut country: Option<&Option<String>> = None;
    for line in &picture.lines {
        let is_first = country != Some(&line.country);
        country = Some(&line.country);
        lines.push(format!("{}{}", labelled(picture, line, is_first), row(&line.cells, offsets)));
    }
    lines.push(String::new());
    lines.extend(wrapped(LEGEND.split("   ").map(str::to_owned), "   ", width));
    if picture.lines.iter().any(|line| line.discredited) {
        lines.extend(sentence("! sees too few to be believed: what it says (dim) is discarded", width));
    }
    if picture.lines.iter().any(|line| line.silent) {
        lines.extend(sentence("~ silent: its row says what was", width));
    }
    if picture.has_letters() {
        lines.push(
            picture.letters.iter().map(|(letter, name)| format!("{letter} {name}")).collect::<Vec<_>>().join("   "),
        );
    }
    let names = picture.legend.iter().map(|(number, id)| format!("{number} {id}"));
    lines.extend(wrapped(names, "   ", width));
    lines
}

/// Parts one after the other, on as many lines as they need.
pub fn wrapped(parts: impl Iterator<Item = String>, between: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if line.width() + between.len() + part.width() <= width => {
                line.push_str(between);
                line.push_str(&part);
            }
            _ => lines.push(part),
        }
    }
    lines
}

/// Words, on as many lines as they need.
pub fn sentence(text: &str, width: usize) -> Vec<String> {
    wrapped(text.split(' ').map(str::to_owned), " ", width)
}

/// "NL  3 nl-1 ! ": country, number, name, what is to be said of its word.
fn labelled(picture: &Picture, line: &Line, is_first: bool) -> String {
    let (number, id) = (number_width(picture), id_width(picture));
    let country = if is_first { line.country.as_deref().unwrap_or("–") } else { "" };
    let id = padded(&short(&line.id), id);
    let mark = if line.silent {
        '~'
    } else if line.discredited {
        '!'
    } else {
        ' '
    };
    format!("{country:2}  {:>number$} {id} {mark} ", line.number)
}

fn label_width(picture: &Picture) -> usize {
    2 + 2 + number_width(picture) + 1 + id_width(picture) + 3
}

fn number_width(picture: &Picture) -> usize {
    let numbers =
        picture.lines.iter().map(|line| line.number).chain(picture.columns.iter().map(|column| column.number));
    numbers.max().unwrap_or_default().to_string().len()
}

fn id_width(picture: &Picture) -> usize {
    picture.lines.iter().map(|line| short(&line.id).width()).max().unwrap_or_default()
}

/// At most [`ID_MAX`] columns of a name.
fn short(id: &str) -> String {
    if id.width() <= ID_MAX {
        return id.to_owned();
    }
    let mut short = String::new();
    for character in id.chars() {
        if short.width() + character.width().unwrap_or_default() >= ID_MAX {
            break;
        }
        short.push(character);
    }
    short + "…"
}

/// Filled up to so many columns, which are not characters where these are wide.
fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(text.width())))
}

/// Countries, numbers from top to bottom, and letters where servers have several entry points.
fn heading(picture: &Picture, offsets: &[usize]) -> Vec<String> {
    let columns = &picture.columns;
    let mut lines = countries(columns, offsets);
    let digits = columns.iter().map(|column| column.number).max().unwrap_or_default().to_string().len();
    for place in 0..digits {
        let starts = firsts(columns, |column| column.number);
        let digit = |nth: usize| format!("{:>digits$}", columns[nth].number).chars().nth(place).unwrap_or(' ');
        lines.push(placed(starts.into_iter().map(|nth| (offsets[nth], digit(nth)))));
    }
    if picture.has_letters() {
        lines.push(placed(columns.iter().zip(offsets).map(|(column, at)| (*at, column.letter))));
    }
    lines
}

/// On one line if each has room for its two letters before the next, else from top to bottom.
fn countries(columns: &[Column], offsets: &[usize]) -> Vec<String> {
    let starts = firsts(columns, |column| column.country.clone());
    let letter = |nth: usize, place: usize| columns[nth].country.as_deref().and_then(|code| code.chars().nth(place));
    let has_room = starts.windows(2).all(|pair| offsets[pair[1]] >= offsets[pair[0]] + 3);
    let lines: Vec<Vec<(usize, char)>> = if has_room {
        let both = |nth: &usize| [0, 1].map(|place| letter(*nth, place).map(|letter| (offsets[*nth] + place, letter)));
        vec![starts.iter().flat_map(both).flatten().collect()]
    } else {
        let one = |place: usize| starts.iter().filter_map(|nth| Some((offsets[*nth], letter(*nth, place)?))).collect();
        [0, 1].map(one).to_vec()
    };
    lines.into_iter().map(|line| placed(line.into_iter())).filter(|line| !line.is_empty()).collect()
}

/// The first of each run of columns that are alike.
fn firsts<T: PartialEq>(columns: &[Column], of: impl Fn(&Column) -> T) -> Vec<usize> {
    (0..columns.len()).filter(|nth| *nth == 0 || of(&columns[nth - 1]) != of(&columns[*nth])).collect()
}

/// Characters at their places, ascending.
fn placed(characters: impl Iterator<Item = (usize, char)>) -> String {
    let mut line = String::new();
    let mut len = 0;
    for (at, character) in characters {
        line.extend(std::iter::repeat_n(' ', at.saturating_sub(len)));
        line.push(character);
        len = at.max(len) + 1;
    }
    line
}

fn row(cells: &[Square], offsets: &[usize]) -> String {
    let mut line = String::new();
    let mut len = 0;
    let mut style = "";
    for (cell, at) in cells.iter().zip(offsets) {
        let wanted = colour(*cell);
        if wanted != style && !style.is_empty() {
            line.push_str("\x1b[0m");
        }
        line.extend(std::iter::repeat_n(' ', at.saturating_sub(len)));
        if wanted != style {
            line.push_str(wanted);
            style = wanted;
        }
        line.push(character(*cell));
        len = at + 1;
    }
    if !style.is_empty() {
        line.push_str("\x1b[0m");
    }
    line.trim_end().to_owned()
}

pub const fn character(cell: Square) -> char {
    if cell.own {
        return '╲';
    }
    match cell.word {
        PairWord::Sees => '·',
        PairWord::Failing => 'f',
        PairWord::Sustained => 'X',
        PairWord::Held => 'H',
        PairWord::Unknown => '?',
        PairWord::NotProbed => ' ',
    }
}

const fn colour(cell: Square) -> &'static str {
    if cell.own || cell.discredited {
        return "\x1b[2m";
    }
    match cell.word {
        PairWord::Sees => "\x1b[32m",
        PairWord::Failing => "\x1b[33m",
        PairWord::Sustained => "\x1b[1;31m",
        PairWord::Held => "\x1b[35m",
        PairWord::Unknown => "\x1b[2m",
        PairWord::NotProbed => "",
    }
}

#[cfg(test)]
mod tests;
