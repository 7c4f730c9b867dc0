//! What holds for every text file.

use super::Finding;
use super::source::Source;
use crate::process::root;

/// Noise in every later diff.
pub fn trailing_space(source: &Source) -> Vec<Finding> {
    let numbered = source.text.lines().enumerate();
    let ends = numbered.filter(|(_, line)| line.ends_with([' ', '\t', '\r']));
    ends.map(|(ix, _)| source.finding(ix + 1, "white space at the end of the line: remove it")).collect()
}

/// Places where people keep their work: a path below one holds on one machine only.
const HOMES: &[&str] = &["/home/", "/root/", "/Users/"];
/// Places that the product may well speak of, even where the repository happens to lie in one.
const COMMON: &[&str] = &["/", "/tmp", "/var/tmp", "/opt", "/srv", "/usr/src", "/usr/local/src", "/home", "/mnt"];

/// Paths of the machine that a file was written on.
pub fn machine_paths(sources: &[Source]) -> Vec<Finding> {
    let root = root();
    let above = root.ancestors().skip(1).map(|dir| dir.to_string_lossy().into_owned());
    let mut places: Vec<String> =
        above.filter(|dir| !COMMON.contains(&dir.as_str())).map(|dir| format!("{dir}/")).collect();
    places.extend(HOMES.iter().map(ToString::to_string));
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| !source.path.starts_with("crates/xtask/src/tidy/")) {
        for (ix, line) in source.text.lines().enumerate() {
            if let Some(place) = places.iter().find(|place| names_path(line, place)) {
                findings.push(source.finding(ix + 1, format!("`{place}` is a place on one machine: name it relative")));
            }
        }
    }
    findings
}

/// Whether an absolute path in `line` begins with `place`: what stands before it is no part of a path or URL.
pub fn names_path(line: &str, place: &str) -> bool {
    line.match_indices(place).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '}' | '*' | '~'))
    })
}
