//! Which processes run, by the names that the kernel shows.
//!
//! A walk through all of /proc takes more of the processor than all the rest of a self-check. So one that was seen is looked
//! at where it was, like a guest in his chair; the whole house is walked through when one is missed, and now and then for
//! those who came in.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};

#[cfg(test)]
mod tests;

/// The kernel shows this many bytes of a process's name.
const NAME_BYTES_SHOWN: usize = 15;
/// Looks from one walk to the next while nobody is missed: ten minutes at the usual pace.
const WALK_EVERY: u32 = 10;

/// Those that were looked for and found.
#[derive(Debug, Default)]
pub(super) struct Processes {
    /// By name, the number of one that bears it.
    known: BTreeMap<String, u32>,
    looks: u32,
}

impl Processes {
    /// Whether a process of that name runs at this moment.
    pub(super) async fn runs(&mut self, name: &str) -> io::Result<bool> {
        let name = shown(name);
        if self.known.get(name).is_some_and(|number| bears(*number, name)) {
            return Ok(true);
        }
        match walk().await?.remove_entry(name) {
            Some((name, number)) => self.known.insert(name, number),
            None => self.known.remove(name),
        };
        Ok(self.known.contains_key(name))
    }

    /// The names of those that run among the ones that are wanted. Who ends is missed at once; who starts is found within
    /// [`WALK_EVERY`] looks.
    pub(super) async fn of(&mut self, is_wanted: fn(&str) -> bool) -> io::Result<impl Iterator<Item = &str>> {
        let is_one_missed = self.known.iter().any(|(name, number)| !bears(*number, name));
        if is_one_missed || self.looks.is_multiple_of(WALK_EVERY) {
            self.known = walk().await?;
            self.known.retain(|name, _| is_wanted(name));
        }
        self.looks = self.looks.wrapping_add(1);
        Ok(self.known.keys().map(String::as_str))
    }
}

/// All names, each with the number of one that bears it; on a thread that may wait.
async fn walk() -> io::Result<BTreeMap<String, u32>> {
    let walked = tokio::task::spawn_blocking(|| {
        let mut names = BTreeMap::new();
        for entry in std::fs::read_dir("/proc")? {
            let number = entry?.file_name().to_str().and_then(|name| name.parse().ok());
            // A process may end between the two looks.
            if let Some((name, number)) = number.and_then(|number| Some((name_of(number).ok()?, number))) {
                names.insert(name, number);
            }
        }
        Ok(names)
    });
    walked.await.map_err(io::Error::other)?
}

fn bears(number: u32, name: &str) -> bool {
    name_of(number).is_ok_and(|found| found == name)
}

/// The name of one process, which fits into one read.
fn name_of(number: u32) -> io::Result<String> {
    let mut line = [0; NAME_BYTES_SHOWN + 1];
    let read = File::open(format!("/proc/{number}/comm"))?.read(&mut line)?;
    Ok(String::from_utf8_lossy(&line[..read]).trim_end_matches('\n').to_owned())
}

fn shown(name: &str) -> &str {
    let mut end = name.len().min(NAME_BYTES_SHOWN);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    &name[..end]
}
