//! Reads such files: `-` is standard input, and what ends in `.gz` is decompressed.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use anyhow::{Context, bail};
use flate2::read::MultiGzDecoder;

use crate::fleet::Declared;

/// The longest line of a trace: a report over 40,000 entry points fits many times over.
const LINE_BYTES_MAX: u64 = 16 << 20;

/// The fleet of a fleet file.
pub fn fleet(path: &Path) -> anyhow::Result<Declared> {
    let mut text = String::new();
    open(path)?.read_to_string(&mut text).with_context(|| format!("{}: cannot be read", path.display()))?;
    crate::parse_fleet(&text).with_context(|| path.display().to_string())
}

/// Hands on each line of a trace that is not blank. What `take` refuses is told with the file and the line's number.
pub fn lines(path: &Path, mut take: impl FnMut(&str) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let mut reader = open(path)?;
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        let place = || format!("{}:{number}", path.display());
        let read = (&mut reader).take(LINE_BYTES_MAX).read_until(b'\n', &mut line).with_context(place)?;
        if read == 0 {
            break;
        }
        if read as u64 == LINE_BYTES_MAX {
            bail!("{}: longer than {LINE_BYTES_MAX} bytes", place());
        }
        let text = std::str::from_utf8(&line).with_context(place)?.trim();
        if !text.is_empty() {
            take(text).with_context(place)?;
        }
    }
    Ok(())
}

fn open(path: &Path) -> anyhow::Result<Box<dyn BufRead>> {
    if path == Path::new("-") {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    let file = File::open(path).with_context(|| format!("{}: cannot be opened", path.display()))?;
    Ok(if path.extension().is_some_and(|extension| extension == "gz") {
        Box::new(BufReader::new(MultiGzDecoder::new(file)))
    } else {
        Box::new(BufReader::new(file))
    })
}
