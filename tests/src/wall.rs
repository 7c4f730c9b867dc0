//! A wrong wall clock for one process: libfaketime, as Debian packages it, moves what the process reads as the date and
//! leaves the monotonic clock alone.

use std::fs;
use std::path::PathBuf;

/// Whether it can be had here, or why not.
pub fn available() -> Result<(), String> {
    library().map(drop).ok_or_else(|| "libfaketime is not installed (apt-get install faketime)".to_owned())
}

/// Variables for a process whose date is off.
pub fn off_by_hours(hours: i64) -> [(&'static str, String); 3] {
    let library = library().expect("a test that uses it has made sure of libfaketime");
    [
        ("LD_PRELOAD", library.display().to_string()),
        ("FAKETIME", format!("{hours:+}h")),
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
    ]
}

/// A date that a test moves while the process runs.
pub struct Steps {
    file: PathBuf,
}

impl Steps {
    /// The true date, until it is moved; the file says how far off it is.
    pub fn new(file: PathBuf) -> Self {
        let steps = Self { file };
        steps.set_hours(0);
        steps
    }

    /// Variables for a process whose date this is.
    pub fn variables(&self) -> [(&'static str, String); 4] {
        let [library, _, monotonic] = off_by_hours(0);
        [
            library,
            monotonic,
            ("FAKETIME_TIMESTAMP_FILE", self.file.display().to_string()),
            ("FAKETIME_NO_CACHE", "1".to_owned()),
        ]
    }

    /// Moves it: so many hours off from here on.
    pub fn set_hours(&self, hours: i64) {
        // Whole or not at all: it is read with each look at the clock.
        let new = self.file.with_extension("new");
        let written = fs::write(&new, format!("{hours:+}h\n")).and_then(|()| fs::rename(&new, &self.file));
        written.expect("the lab's folder takes a file");
        eprintln!("a clock is off by {hours} h");
    }
}

fn library() -> Option<PathBuf> {
    let platforms = fs::read_dir("/usr/lib").ok()?.flatten();
    let mut found = platforms.map(|platform| platform.path().join("faketime/libfaketimeMT.so.1"));
    found.find(|path| path.is_file())
}
