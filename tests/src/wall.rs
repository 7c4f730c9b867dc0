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

fn library() -> Option<PathBuf> {
    let platforms = fs::read_dir("/usr/lib").ok()?.flatten();
    let mut found = platforms.map(|platform| platform.path().join("faketime/libfaketimeMT.so.1"));
    found.find(|path| path.is_file())
}
