//! The fleet as one TOML file: read whole, checked whole, refused with the line that is wrong.
//!
//! The types know nothing of lines. So the file is read twice: once into the inventory, and, when that was refused, once
//! more into a tree with places, in which the offender that the refusal names is looked up.

use std::fmt;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use quorate_core::one_line::OneLine;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::inventory::Inventory;

/// Why a fleet file was refused: `fleet.toml:12: server 'nl-1': country: 'nl': a country is two capital letters, like NL`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetFileError {
    /// Which file.
    pub path: PathBuf,
    /// From 1; none for the file as a whole.
    pub line: Option<usize>,
    /// What is wrong.
    pub problem: String,
}

impl fmt::Display for FleetFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.path.display(), OneLine(&self.problem)),
            None => write!(f, "{}: {}", self.path.display(), OneLine(&self.problem)),
        }
    }
}

impl std::error::Error for FleetFileError {}

/// Largest file: 10,000 servers with all fields fit twice.
const BYTES_MAX: u64 = 32 << 20;

/// Reads and checks the file.
pub fn load(path: &Path) -> Result<Inventory, FleetFileError> {
    let refused = |problem: String| FleetFileError { path: path.to_owned(), line: None, problem };
    let size = fs::metadata(path).map_err(|error| refused(format!("cannot be read: {error}")))?.len();
    if size > BYTES_MAX {
        return Err(refused(format!("is larger than {BYTES_MAX} bytes: is it the fleet?")));
    }
    let text = fs::read_to_string(path).map_err(|error| refused(format!("cannot be read: {error}")))?;
    parse(path, &text)
}

/// Checks the text of a file; `path` is for the refusal.
pub fn parse(path: &Path, text: &str) -> Result<Inventory, FleetFileError> {
    let refused = |place: Option<Range<usize>>, problem: String| FleetFileError {
        path: path.to_owned(),
        line: place.map(|place| line_at(text, place.start)),
        problem,
    };
    let inventory: Inventory =
        toml::from_str(text).map_err(|error| refused(error.span(), error.message().replace('\n', " ")))?;
    inventory.checked().map_err(|error| {
        let place = error.place().and_then(|(owner, field)| find(text, &owner, field));
        refused(place, error.to_string())
    })?;
    Ok(inventory)
}

fn line_at(text: &str, byte: usize) -> usize {
    1 + text.get(..byte).map_or(0, |before| before.matches('\n').count())
}

/// Where a field of an owner stands, or the owner if the field is not written; of several of one name the last, which is
/// the one too many.
fn find(text: &str, owner: &str, field: &str) -> Option<Range<usize>> {
    let root = DeTable::parse(text).ok()?;
    let root = root.get_ref();
    let (kind, id) = owner.split_once(" '").map_or((owner, ""), |(kind, id)| (kind, id.trim_end_matches('\'')));
    let owner = match kind {
        "policy" => get(root, "policy")?,
        "server" => tables(root, "servers").filter(|table| word(table, "id") == Some(id)).last()?,
        "route" => tables(root, "routes").filter(|table| word(table, "id") == Some(id)).last()?,
        "edge" => tables(root, "edges").filter(|table| word(table, "id") == Some(id)).last()?,
        "entry point" => entry_point(root, id)?,
        _ => return None,
    };
    let table = owner.get_ref().as_table()?;
    Some(get(table, field).map_or_else(|| owner.span(), Spanned::span))
}

fn entry_point<'a>(root: &'a DeTable<'a>, id: &str) -> Option<&'a Spanned<DeValue<'a>>> {
    let (server_id, name) = id.split_once('/')?;
    let servers = || tables(root, "servers").filter(|table| word(table, "id") == Some(server_id));
    let points =
        servers().filter_map(|server| server.get_ref().as_table()).flat_map(|server| tables(server, "entry_points"));
    let is_it = |point: &&Spanned<DeValue<'_>>| word(point, "name").or(word(point, "probe")).unwrap_or("tls") == name;
    points.filter(is_it).last().or_else(|| servers().last())
}

fn get<'a>(table: &'a DeTable<'a>, name: &str) -> Option<&'a Spanned<DeValue<'a>>> {
    table.iter().find(|(key, _)| key.get_ref() == name).map(|(_, value)| value)
}

fn tables<'a>(table: &'a DeTable<'a>, name: &str) -> impl Iterator<Item = &'a Spanned<DeValue<'a>>> {
    get(table, name).and_then(|value| value.get_ref().as_array()).into_iter().flat_map(|array| array.iter())
}

fn word<'a>(value: &'a Spanned<DeValue<'a>>, name: &str) -> Option<&'a str> {
    get(value.get_ref().as_table()?, name)?.get_ref().as_str()
}

#[cfg(test)]
mod tests;
