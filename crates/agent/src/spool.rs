//! The outbox: every report is kept on disk until it is acknowledged.
//!
//! A tray of numbered letters. A letter is in the tray before it is posted, and leaves it when the receipt comes. The
//! letter with the highest number stays even then, as the note of where counting goes on: numbers never go back, also
//! after the power was cut in the middle of a stroke. If the tray cannot be written, letters wait in memory under a name
//! of their own (a new outbox id), so that numbers which were lost with it can never be taken for others.
//!
//! Bounded: beyond [`Bounds`] the oldest letter is shed and counted. One file is one letter: whole or ignored.

use std::collections::VecDeque;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use quorate_proto::v1;

use self::letter::{HEAD, OutboxId, Sealed};
use crate::{dice, files};

mod letter;

#[cfg(test)]
mod tests;

pub(crate) use self::letter::Observed;

/// How the file of a letter ends; before it stands the sequence number.
const SUFFIX: &str = ".report";

/// How much is kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// Most reports: at one a minute, sixteen hours without an aggregator.
    pub(crate) reports: usize,
    /// Most bytes on disk.
    pub(crate) bytes: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { reports: 1_000, bytes: 16 << 20 }
    }
}

/// Most reports kept in memory while the disk takes none: a quarter of an hour, within the agent's memory.
const IN_MEMORY_MAX: usize = 16;

/// Beyond this is no number of ours: at one a second it takes as long as the universe is old, ten times over. Half of what the
/// wire and the aggregator's store can count, so that counting on from here never ends.
const SEQUENCE_MAX: u64 = 1 << 62;

#[derive(Debug)]
struct Letter {
    sequence: u64,
    outbox: OutboxId,
    bytes: u64,
    place: Place,
    acknowledged: bool,
}

#[derive(Debug)]
enum Place {
    Disk,
    Memory(Vec<u8>),
}

/// The open outbox.
#[derive(Debug)]
pub(crate) struct Spool {
    dir: PathBuf,
    bounds: Bounds,
    outbox: OutboxId,
    next: u64,
    /// By sequence, which grows across outbox ids too.
    letters: VecDeque<Letter>,
    shed: u32,
    /// The disk did not take the last letter, which was told.
    is_refused: bool,
}

impl Spool {
    /// Opens the outbox in `dir`, making it first if there is none. What cannot be read there is dropped and counted.
    pub(crate) fn open(dir: &Path, bounds: Bounds) -> io::Result<Self> {
        std::fs::create_dir_all(dir)?;
        let mut spool = Self {
            dir: dir.to_owned(),
            bounds,
            outbox: dice::random(),
            next: 1,
            letters: VecDeque::new(),
            shed: 0,
            is_refused: false,
        };
        let mut sequences = Vec::new();
        for entry in std::fs::read_dir(dir)? {
            let name = entry?.file_name();
            let name = name.to_string_lossy();
            let number = name.strip_suffix(SUFFIX).and_then(|number| number.parse().ok());
            if let Some(sequence) = number.filter(|sequence| *sequence <= SEQUENCE_MAX) {
                sequences.push(sequence);
            } else if name.starts_with(files::TEMPORARY) {
                let _ = std::fs::remove_file(dir.join(&*name));
            }
        }
        sequences.sort_unstable();
        for sequence in sequences {
            spool.next = sequence + 1;
            match read(&spool.path(sequence)).and_then(|bytes| Sealed::open(&bytes).map(|sealed| (sealed, bytes.len())))
            {
                Some((sealed, bytes)) if sealed.sequence == sequence => {
                    spool.outbox = sealed.outbox;
                    spool.letters.push_back(Letter {
                        sequence,
                        outbox: sealed.outbox,
                        bytes: bytes as u64,
                        place: Place::Disk,
                        acknowledged: false,
                    });
                }
                _ => {
                    spool.count_shed();
                    let _ = std::fs::remove_file(spool.path(sequence));
                }
            }
        }
        if spool.letters.is_empty() {
            // Nothing tells what was sent under the old name.
            spool.outbox = dice::random();
        }
        spool.shed_surplus();
        Ok(spool)
    }

    /// The id that new reports carry.
    pub(crate) fn outbox(&self) -> OutboxId {
        self.outbox
    }

    /// Reports lost since the start: shed, or found corrupt.
    pub(crate) fn shed(&self) -> u32 {
        self.shed
    }

    /// Reports that wait for their receipt.
    pub(crate) fn waiting(&self) -> usize {
        self.letters.iter().filter(|letter| !letter.acknowledged).count()
    }

    /// Numbers the report and keeps it.
    pub(crate) fn push(&mut self, mut report: v1::Report, observed: Observed) -> u64 {
        let sequence = self.next;
        self.next += 1;
        report.sequence = sequence;
        report.wall_ms = observed.wall.as_ms();
        report.outbox_id = self.outbox.to_vec();
        let bytes = Sealed { sequence, outbox: self.outbox, observed, report: report.clone() }.seal();
        let place = match files::write_whole(&self.path(sequence), &bytes) {
            Ok(()) => {
                if std::mem::take(&mut self.is_refused) {
                    tracing::info!(dir = %self.dir.display(), "the outbox can be written again");
                }
                Place::Disk
            }
            Err(problem) => {
                // Once, not with each report: a log on the same disk is part of what fills it.
                if !std::mem::replace(&mut self.is_refused, true) {
                    let dir = self.dir.display();
                    tracing::error!(%problem, %dir, "the outbox cannot be written, reports wait in memory: free some space");
                }
                // It may lie there all the same, if it was the last step that failed: after a restart it would be sent
                // under a second number, and count twice.
                let _ = std::fs::remove_file(self.path(sequence));
                self.leave_disk();
                report.outbox_id = self.outbox.to_vec();
                Place::Memory(Sealed { sequence, outbox: self.outbox, observed, report }.seal())
            }
        };
        let letter = Letter { sequence, outbox: self.outbox, bytes: bytes.len() as u64, place, acknowledged: false };
        self.letters.push_back(letter);
        self.drop_notes();
        self.shed_surplus();
        sequence
    }

    /// A number that is not on disk must not be given out twice after a restart: what follows has another outbox id.
    fn leave_disk(&mut self) {
        let in_memory = self.letters.iter().any(|letter| matches!(letter.place, Place::Memory(_)));
        if !in_memory {
            self.outbox = dice::random();
        }
    }

    /// The receipt for everything of `outbox` up to `sequence`.
    pub(crate) fn acknowledge(&mut self, outbox: &[u8], sequence: u64) {
        for letter in &mut self.letters {
            if letter.sequence <= sequence && letter.outbox == outbox {
                letter.acknowledged = true;
            }
        }
        if outbox == self.outbox && sequence > SEQUENCE_MAX {
            // Somebody counts otherwise than we do: no number of this outbox is safe from that receipt.
            self.outbox = dice::random();
        } else if outbox == self.outbox && sequence >= self.next {
            // The disk was put back to an older state: numbers go on after those that were used since.
            self.next = sequence + 1;
        }
        self.drop_notes();
    }

    /// The first waiting report after `sequence`, with its age as of now.
    pub(crate) fn after(&mut self, sequence: u64) -> Option<v1::Report> {
        loop {
            let at = self.letters.iter().position(|letter| letter.sequence > sequence && !letter.acknowledged)?;
            let letter = &self.letters[at];
            let opened = match &letter.place {
                Place::Disk => read(&self.path(letter.sequence)).and_then(|bytes| Sealed::open(&bytes)),
                Place::Memory(bytes) => Sealed::open(bytes),
            };
            if let Some(sealed) = opened {
                let mut report = sealed.report;
                report.age_ms = sealed.observed.age_ms();
                return Some(report);
            }
            tracing::error!(sequence = letter.sequence, "a report in the outbox is corrupt: dropped");
            self.remove(at);
            self.count_shed();
        }
    }

    /// The waiting reports that are in memory alone.
    #[cfg(feature = "simulation")]
    pub(crate) fn in_memory(&self) -> Vec<v1::Report> {
        let waiting = self.letters.iter().filter(|letter| !letter.acknowledged);
        let in_memory = waiting.filter_map(|letter| match &letter.place {
            Place::Disk => None,
            Place::Memory(bytes) => Sealed::open(bytes),
        });
        in_memory.map(|sealed| sealed.report).collect()
    }

    /// Removes what is acknowledged, but for the last number.
    fn drop_notes(&mut self) {
        let Some(last) = self.letters.back().map(|letter| letter.sequence) else { return };
        let mut at = 0;
        while at < self.letters.len() {
            if self.letters[at].acknowledged && self.letters[at].sequence < last {
                self.remove(at);
            } else {
                at += 1;
            }
        }
    }

    fn shed_surplus(&mut self) {
        while self.letters.len() > 1 && self.is_over() {
            self.shed_at(0);
        }
        while self.letters.iter().filter(|letter| matches!(letter.place, Place::Memory(_))).count() > IN_MEMORY_MAX {
            let oldest = self.letters.iter().position(|letter| matches!(letter.place, Place::Memory(_)));
            self.shed_at(oldest.expect("some were counted"));
        }
    }

    fn is_over(&self) -> bool {
        let bytes: u64 = self.letters.iter().map(|letter| letter.bytes).sum();
        self.letters.len() > self.bounds.reports || bytes > self.bounds.bytes
    }

    fn shed_at(&mut self, at: usize) {
        if !self.letters[at].acknowledged {
            self.count_shed();
            // At one a minute, told ever more seldom.
            if self.shed.is_power_of_two() {
                tracing::warn!(lost = self.shed, "the outbox is full: the oldest reports are dropped");
            }
        }
        self.remove(at);
    }

    fn count_shed(&mut self) {
        self.shed = self.shed.saturating_add(1);
    }

    fn remove(&mut self, at: usize) {
        if let Some(Letter { sequence, place: Place::Disk, .. }) = self.letters.remove(at) {
            // If it cannot be removed it is sent again after a restart, and known there by its number.
            let _ = std::fs::remove_file(self.path(sequence));
        }
    }

    fn path(&self, sequence: u64) -> PathBuf {
        self.dir.join(format!("{sequence:020}{SUFFIX}"))
    }
}

fn read(path: &Path) -> Option<Vec<u8>> {
    // Larger than any report: somebody else's file.
    let mut file = files::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    if length > (quorate_proto::REPORT_BYTES_MAX + HEAD) as u64 {
        return None;
    }
    let mut bytes = Vec::with_capacity(length as usize);
    file.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
