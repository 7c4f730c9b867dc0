//! A program that a test started: a direct child, so that it is signalled by its own id and waited for. It never outlives
//! its handle.

use std::fs::{self, File};
use std::io::{Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::clock::wait_for;

/// What to start.
pub struct Spawn {
    /// What it is called in messages.
    pub name: String,
    /// Where its output goes; appended to.
    pub log: PathBuf,
    /// The program.
    pub command: Command,
}

impl Spawn {
    /// Starts it in the network of the calling thread.
    pub fn start(mut self) -> Process {
        // One place to write at for both, and at the end from the start: HAProxy takes the append mode off what it is given.
        let mut out = File::options().create(true).append(true).open(&self.log).expect("a log can be opened");
        out.seek(SeekFrom::End(0)).expect("a log can be moved in");
        let err = out.try_clone().expect("an open file can be opened once more");
        let child = self.command.stdin(Stdio::null()).stdout(out).stderr(err).spawn();
        let child = child.unwrap_or_else(|error| panic!("cannot start {} ({:?}): {error}", self.name, self.command));
        Process { name: self.name, log: self.log, child }
    }
}

/// A started program.
pub struct Process {
    name: String,
    log: PathBuf,
    child: Child,
}

/// Longest that a killed or politely ended process may take: agents and aggregator promise 5 and 10 s.
const END_AT_MOST: Duration = Duration::from_secs(15);
/// As much of a log as a failed test shows.
const LOG_LINES_SHOWN: usize = 40;

impl Process {
    /// Stops it where it stands (SIGSTOP), as a suspended machine would.
    pub fn pause(&self) {
        self.signal(Signal::SIGSTOP);
    }

    /// Lets it go on (SIGCONT).
    pub fn resume(&self) {
        self.signal(Signal::SIGCONT);
    }

    /// Ends it without warning (SIGKILL).
    pub fn kill(mut self) {
        self.signal(Signal::SIGKILL);
        self.wait();
    }

    /// Asks it to end (SIGTERM) and waits.
    pub fn end(mut self) -> ExitStatus {
        self.signal(Signal::SIGTERM);
        self.wait()
    }

    /// Its id.
    pub fn pid(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.child.id()).expect("process ids are positive i32"))
    }

    /// All that it has printed so far.
    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Where that is written.
    pub fn log_path(&self) -> &Path {
        &self.log
    }

    /// Fails the test if it has ended by itself.
    pub fn assert_runs(&mut self) {
        if let Ok(Some(status)) = self.child.try_wait() {
            panic!("{} has ended by itself ({status}):\n{}", self.name, self.log_tail());
        }
    }

    /// Tells it something that is no end: to read its files again, for example.
    pub fn signal(&self, signal: Signal) {
        let sent = kill(self.pid(), signal);
        sent.unwrap_or_else(|error| panic!("cannot send {signal} to {}: {error}", self.name));
        eprintln!("{signal} to {}", self.name);
    }

    fn wait(&mut self) -> ExitStatus {
        wait_for(&format!("{} has ended", self.name), END_AT_MOST, || {
            self.child.try_wait().map_err(|error| error.to_string())?.ok_or_else(|| "it still runs".to_owned())
        })
    }

    fn log_tail(&self) -> String {
        let log = self.log();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(LOG_LINES_SHOWN)..].join("\n")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("---- end of the log of {}\n{}\n----", self.name, self.log_tail());
        }
        // Both fail if it is gone already, which is what they are for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
