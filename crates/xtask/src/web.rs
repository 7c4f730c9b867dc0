//! The pages: built into `web/dist` from the rest of `web/`, and only when that has changed.
//!
//! A baker who looks at the recipe before he lights the oven. What the pages were built from last is noted beside them as a
//! hash, what npm installed last beside what it installed; where the note still fits, nothing is run. Without Node.js, or
//! without a way to npm's registry, there are no new pages: whoever asked for the pages is refused in one line, whoever asked
//! for more gets everything else. A page that does not compile is an error for everybody.

mod inputs;
mod npm;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};

use self::npm::Lacking;
use crate::process::root;

/// Beside the pages: the hash of what they were built from. A build by hand empties the folder, and so forgets it.
const BUILT_FROM: &str = ".built-from";

/// Builds the pages, or says why not.
pub fn run() -> Result<ExitCode> {
    match build()? {
        None => Ok(ExitCode::SUCCESS),
        Some(lacking) => bail!("{lacking}"),
    }
}

/// Builds the pages if this machine can, and what their tests need beside them. What it lacks is said in one line.
pub fn build_if_possible() -> Result<()> {
    let lacking = match build()? {
        None => npm::install(&browser_tests())?,
        lacking => lacking,
    };
    if let Some(lacking) = lacking {
        let is_there = pages().join("index.html").is_file();
        eprintln!("{lacking}; going on {}", if is_there { "with the pages as they were" } else { "without pages" });
    }
    Ok(())
}

/// What this machine lacks for it, if anything.
fn build() -> Result<Option<Lacking>> {
    let (source, pages) = (root().join("web"), pages());
    let hash = inputs::hash(&source).context("cannot read what the pages are built from")?;
    if is_built_from(&pages, &hash) {
        return Ok(None);
    }
    if let Some(lacking) = npm::install(&source)? {
        return Ok(Some(lacking));
    }
    npm::run_script(&source, "build")?;
    let note = pages.join(BUILT_FROM);
    fs::write(&note, &hash).with_context(|| format!("cannot write {}", note.display()))?;
    Ok(None)
}

fn is_built_from(pages: &Path, hash: &str) -> bool {
    pages.join("index.html").is_file() && fs::read_to_string(pages.join(BUILT_FROM)).is_ok_and(|noted| noted == hash)
}

fn pages() -> PathBuf {
    root().join("web/dist")
}

fn browser_tests() -> PathBuf {
    root().join("tests/browser")
}
