//! The files that the checks read: text that git tracks or would add, with repository paths.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};

use super::Finding;
use crate::process::{output, root};

/// One text file.
pub struct Source {
    /// Relative to the root, with slashes.
    pub path: String,
    /// All of it.
    pub text: String,
}

/// Kinds of file that people write by hand here.
const WRITTEN: &[&str] = &[
    "cfg", "conf", "css", "html", "md", "nft", "proto", "py", "rs", "service", "sh", "sql", "toml", "ts", "yaml", "yml",
];

/// Tracked files and new ones that are not ignored.
pub fn all() -> Result<Vec<Source>> {
    let root = root();
    let mut git = Command::new("git");
    git.current_dir(&root).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let list = output(&mut git).context("tidy asks git which files belong to the repository")?;
    let paths = list.split('\0').filter(|path| is_written(path) && root.join(path).is_file());
    paths.map(|path| read(&root, path)).collect()
}

fn is_written(path: &str) -> bool {
    path == ".ci/run" || path.rsplit_once('.').is_some_and(|(_, extension)| WRITTEN.contains(&extension))
}

fn read(root: &Path, path: &str) -> Result<Source> {
    let text = std::fs::read_to_string(root.join(path)).with_context(|| format!("cannot read {path}"))?;
    Ok(Source { path: path.to_owned(), text })
}

impl Source {
    pub fn is_rust(&self) -> bool {
        Path::new(&self.path).extension().is_some_and(|extension| extension == "rs")
    }

    /// Tests, and what only tests use: it says so in its place or in its header.
    pub fn is_test(&self) -> bool {
        let in_place = self.is_of_tests() || self.path.ends_with("/tests.rs") || self.path.contains("/tests/");
        in_place || self.text.starts_with("//! Test-only")
    }

    /// In a folder that has nothing but tests, and so no module that they lie beside.
    pub fn is_of_tests(&self) -> bool {
        self.path.starts_with("tests/") || self.path.starts_with("fuzz/")
    }

    /// Lines that are neither blank nor comment, numbered from 1.
    pub fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let numbered = self.text.lines().enumerate().map(|(ix, line)| (ix + 1, line));
        numbered.filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with("//"))
    }

    /// A finding for each line of code that has one of the words as a whole word.
    pub fn words(&self, words: &[&str], what: &str) -> Vec<Finding> {
        let hits = self.code().filter_map(|(line, code)| {
            let word = words.iter().find(|word| has_word(code, word))?;
            Some(self.finding(line, format!("`{word}`: {what}")))
        });
        hits.collect()
    }

    pub fn finding(&self, line: usize, what: impl Into<String>) -> Finding {
        Finding { path: self.path.clone(), line, what: what.into() }
    }
}

/// Whether `word` stands in `code`, not as a part of a longer name.
pub fn has_word(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + word.len()..].chars().next();
        let opens = word.starts_with(is_name);
        let closes = word.ends_with(is_name);
        !(opens && before.is_some_and(is_name) || closes && after.is_some_and(is_name))
    })
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
