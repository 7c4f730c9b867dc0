//! What the pages are built from, as one hash: every file's name and content, in order. Times do not count, so a branch that
//! was left and come back to is not built anew.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};

/// What is made of the rest, or fetched by it.
const MADE: [&str; 2] = ["dist", "node_modules"];
/// Tests change no page.
const TESTS: &str = ".test.ts";

/// Of everything below `folder`. Another compiler may hash otherwise: then the pages are built once more.
pub fn hash(folder: &Path) -> io::Result<String> {
    let mut hasher = DefaultHasher::new();
    for path in files(folder)? {
        path.strip_prefix(folder).unwrap_or(&path).hash(&mut hasher);
        fs::read(&path)?.hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// All files, by name.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if MADE.contains(&name.as_str()) || name.ends_with(TESTS) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
