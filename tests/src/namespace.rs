//! One network namespace. A namespace belongs to a thread, and what a thread makes in it (a socket, a child process) stays
//! there: so work is done on a thread that has entered.

use std::fs::File;
use std::io::Write as _;
use std::panic::resume_unwind;
use std::process::{Command, Stdio};
use std::thread;

use nix::sched::{CloneFlags, setns};

use crate::machine::program_path;

/// A named network namespace, open.
#[derive(Debug)]
pub struct Namespace {
    name: String,
    file: File,
}

impl Namespace {
    /// Opens one that `ip netns add` has made.
    pub fn open(name: String) -> Self {
        let path = format!("/run/netns/{name}");
        let file = File::open(&path).unwrap_or_else(|error| panic!("cannot open {path}: {error}"));
        Self { name, file }
    }

    /// Its name, for `ip netns exec`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Does `work` on a thread of this namespace and waits for it.
    pub fn within<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let entered = || {
            setns(&self.file, CloneFlags::CLONE_NEWNET).expect("the lab may enter a namespace that it made");
            work()
        };
        thread::scope(|scope| scope.spawn(entered).join()).unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// Does `work` on a thread of this namespace that goes on by itself.
    pub fn beside<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> thread::JoinHandle<T> {
        let file = self.file.try_clone().expect("an open file can be opened once more");
        thread::spawn(move || {
            setns(&file, CloneFlags::CLONE_NEWNET).expect("the lab may enter a namespace that it made");
            work()
        })
    }

    /// Lines for `ip -batch` in this namespace.
    pub fn ip(&self, lines: &str) {
        self.within(|| fed(Command::new(program("ip")).args(["-batch", "-"]), lines));
    }

    /// A ruleset for `nft`, as one transaction.
    pub fn nft(&self, ruleset: &str) {
        self.within(|| fed(Command::new(program("nft")).args(["-f", "-"]), ruleset));
    }

    /// What `nft` lists.
    pub fn nft_list(&self) -> String {
        let output = self.within(|| Command::new(program("nft")).args(["list", "ruleset"]).output());
        String::from_utf8_lossy(&output.expect("nft can be started").stdout).into_owned()
    }

    /// Sets a value below `/proc/sys/net`, which shows the namespace of the thread that opens it.
    pub fn sysctl(&self, path: &str, value: &str) {
        let path = format!("/proc/sys/net/{path}");
        self.within(|| std::fs::write(&path, value)).unwrap_or_else(|error| panic!("cannot write {path}: {error}"));
    }
}

/// Runs a program that reads `input`; it must succeed.
pub fn fed(command: &mut Command, input: &str) {
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program is installed");
    child.stdin.take().expect("stdin is piped").write_all(input.as_bytes()).expect("the program reads its input");
    let output = child.wait_with_output().expect("a child can be waited for");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} failed: {said}\nits input was:\n{input}");
}

/// A program that [`crate::machine::with_namespaces`] has made sure of.
pub fn program(name: &str) -> std::path::PathBuf {
    program_path(name).unwrap_or_else(|| panic!("{name} is not installed"))
}
