//! What an agent remembers of its edges, as a file: so that a restart is cheap and a fail-over survives it.
//!
//! A note on the fridge: it helps who can read it, and nobody starves if it is gone. A file that is missing, damaged, of
//! another version or of another gateway is no memory; a directory that takes no file costs the next start its memory.
//! Both are told once and counted, and stop nothing.

use std::io::{self, Read as _};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use quorate_core::edge::{Memory, Ranked, Seat, Times, Why};
use quorate_core::time::Moment;
use serde::{Deserialize, Serialize};

use crate::{clock, files};

#[cfg(test)]
mod tests;

/// The file, in the data directory.
const NAME: &str = "edges.json";
/// The version that is written, and the only one that is read: what is in here is measured again in minutes.
const VERSION: u32 = 1;
/// Larger than sixteen addresses ever get.
const BYTES_MAX: u64 = 64 << 10;

/// Why a file was not used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unusable {
    /// The system says no.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It is too large to be ours.
    #[error("it is larger than {BYTES_MAX} bytes")]
    Large,
    /// It is not what was written.
    #[error("it is damaged ({0})")]
    Damaged(#[from] serde_json::Error),
    /// Another program's notes.
    #[error("it is of version {0}, and this is {VERSION}")]
    Version(u32),
}

/// A memory and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kept {
    /// The gateway that it is about, `host:port`.
    pub(crate) gateway: String,
    /// What the periods of the choice were divided by.
    pub(crate) speed: u32,
    /// The process that wrote it, and the boot in which it ran.
    pub(crate) process: u32,
    pub(crate) boot_id: [u8; 16],
    /// When, by the wall clock.
    pub(crate) written_at: Moment,
    pub(crate) memory: Memory,
}

impl Kept {
    /// What this process remembers now.
    pub(crate) fn now(gateway: &str, speed: u32, memory: Memory) -> Self {
        Self {
            gateway: gateway.to_owned(),
            speed,
            process: std::process::id(),
            boot_id: clock::boot_id(),
            written_at: clock::wall(),
            memory,
        }
    }

    /// Whether the process that wrote it runs.
    pub(crate) fn writer_runs(&self) -> bool {
        self.boot_id == clock::boot_id() && Path::new(&format!("/proc/{}", self.process)).exists()
    }
}

/// Where it is.
pub(crate) fn path(data_dir: &Path) -> PathBuf {
    data_dir.join(NAME)
}

/// Reads the file; none if there is none.
pub(crate) fn read(data_dir: &Path) -> Result<Option<Kept>, Unusable> {
    let file = match files::open(&path(data_dir)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let mut bytes = Vec::new();
    file.take(BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > BYTES_MAX {
        return Err(Unusable::Large);
    }
    // The version first: another one may have all else in another form.
    let Versioned { version } = serde_json::from_slice(&bytes)?;
    if version != VERSION {
        return Err(Unusable::Version(version));
    }
    Ok(Some(serde_json::from_slice::<Form>(&bytes)?.into()))
}

/// Writes it, whole or not at all.
pub(super) fn write(data_dir: &Path, kept: &Kept) -> io::Result<()> {
    let mut text = serde_json::to_vec_pretty(&Form::from(kept))?;
    text.push(b'\n');
    files::write_whole(&path(data_dir), &text)
}

#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

/// Version 1. Moments are Unix milliseconds of the wall clock.
#[derive(Serialize, Deserialize)]
struct Form {
    version: u32,
    gateway: String,
    speed: u32,
    process: u32,
    /// Hexadecimal.
    boot_id: String,
    written_at_ms: u64,
    addresses: Vec<IpAddr>,
    resolved_at_ms: Option<u64>,
    measured_on: Vec<IpAddr>,
    measured_at_ms: Option<u64>,
    ranking: Vec<RankedForm>,
    seat: Option<SeatForm>,
}

#[derive(Serialize, Deserialize)]
struct RankedForm {
    address: IpAddr,
    times: Option<TimesForm>,
    failing: bool,
    good_rounds: u8,
    better_rounds: u8,
}

#[derive(Serialize, Deserialize)]
struct TimesForm {
    tcp_us: u64,
    tls_us: u64,
    samples: u8,
}

#[derive(Serialize, Deserialize)]
struct SeatForm {
    address: IpAddr,
    since_ms: u64,
    why: String,
    missing: u8,
}

impl From<&Kept> for Form {
    fn from(kept: &Kept) -> Self {
        let memory = &kept.memory;
        Self {
            version: VERSION,
            gateway: kept.gateway.clone(),
            speed: kept.speed,
            process: kept.process,
            boot_id: format!("{:032x}", u128::from_be_bytes(kept.boot_id)),
            written_at_ms: kept.written_at.as_ms(),
            addresses: memory.addresses.clone(),
            resolved_at_ms: memory.resolved_at.map(Moment::as_ms),
            measured_on: memory.measured_on.clone(),
            measured_at_ms: memory.measured_at.map(Moment::as_ms),
            ranking: memory.ranking.iter().map(RankedForm::from).collect(),
            seat: memory.seat.as_ref().map(SeatForm::from),
        }
    }
}

impl From<Form> for Kept {
    fn from(form: Form) -> Self {
        Self {
            gateway: form.gateway,
            speed: form.speed,
            process: form.process,
            // What is no number names no boot that there ever was.
            boot_id: u128::from_str_radix(&form.boot_id, 16).unwrap_or_default().to_be_bytes(),
            written_at: Moment::from_ms(form.written_at_ms),
            memory: Memory {
                addresses: form.addresses,
                resolved_at: form.resolved_at_ms.map(Moment::from_ms),
                ranking: form.ranking.iter().map(Ranked::from).collect(),
                measured_on: form.measured_on,
                measured_at: form.measured_at_ms.map(Moment::from_ms),
                seat: form.seat.as_ref().and_then(SeatForm::seat),
            },
        }
    }
}

impl From<&Ranked> for RankedForm {
    fn from(ranked: &Ranked) -> Self {
        let Ranked { address, times, failing, good_rounds, better_rounds } = *ranked;
        let times = times.map(|times| TimesForm {
            tcp_us: times.tcp.as_micros() as u64,
            tls_us: times.tls.as_micros() as u64,
            samples: times.samples,
        });
        Self { address, times, failing, good_rounds, better_rounds }
    }
}

impl From<&RankedForm> for Ranked {
    fn from(form: &RankedForm) -> Self {
        let times = form.times.as_ref().map(|times| Times {
            tcp: Duration::from_micros(times.tcp_us),
            tls: Duration::from_micros(times.tls_us),
            samples: times.samples,
        });
        let RankedForm { address, failing, good_rounds, better_rounds, .. } = *form;
        Self { address, times, failing, good_rounds, better_rounds }
    }
}

impl From<&Seat> for SeatForm {
    fn from(seat: &Seat) -> Self {
        let Seat { address, since, why, missing } = *seat;
        Self { address, since_ms: since.as_ms(), why: why.as_str().to_owned(), missing }
    }
}

impl SeatForm {
    /// A word that this version does not know is no seat: it tells where the agent was, and nothing hangs on it.
    fn seat(&self) -> Option<Seat> {
        let why = Why::from_word(&self.why)?;
        Some(Seat { address: self.address, since: Moment::from_ms(self.since_ms), why, missing: self.missing })
    }
}
