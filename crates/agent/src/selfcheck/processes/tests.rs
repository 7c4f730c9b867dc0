//! Real processes with names that nobody else has.
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::process::{Child, Command, Stdio};

use super::{Processes, WALK_EVERY};

/// A process of a name; it ends with it.
struct Runner {
    child: Child,
    _folder: tempfile::TempDir,
}

impl Runner {
    fn start(name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join(name);
        std::os::unix::fs::symlink("/bin/cat", &program).unwrap();
        let mut command = Command::new(program);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        Self { child, _folder: folder }
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

#[tokio::test]
async fn a_process_is_found_when_it_starts_and_missed_when_it_ends() {
    let (name, mut processes) = ("qp-strict", Processes::default());
    assert!(!processes.runs(name).await.unwrap());
    let runner = Runner::start(name);
    assert!(processes.runs(name).await.unwrap());
    assert!(processes.runs(name).await.unwrap());
    drop(runner);
    assert!(!processes.runs(name).await.unwrap());
}

#[tokio::test]
async fn one_that_took_its_place_counts() {
    let (name, mut processes) = ("qp-successor", Processes::default());
    let first = Runner::start(name);
    assert!(processes.runs(name).await.unwrap());
    let _second = Runner::start(name);
    drop(first);
    assert!(processes.runs(name).await.unwrap());
}

#[tokio::test]
async fn a_long_name_is_compared_as_the_kernel_cuts_it() {
    let (name, mut processes) = ("qp-with-a-name-that-is-long", Processes::default());
    let _runner = Runner::start(name);
    assert!(processes.runs(name).await.unwrap());
}

#[tokio::test]
async fn among_the_usual_a_newcomer_is_found_at_the_next_walk_and_one_that_ended_is_missed_at_once() {
    let wanted: fn(&str) -> bool = |name| name == "qp-usual";
    let mut processes = Processes::default();
    assert_eq!(processes.of(wanted).await.unwrap().count(), 0);
    let runner = Runner::start("qp-usual");
    for _ in 1..WALK_EVERY {
        assert_eq!(processes.of(wanted).await.unwrap().count(), 0, "it was not walked yet");
    }
    assert_eq!(processes.of(wanted).await.unwrap().collect::<Vec<_>>(), ["qp-usual"]);
    drop(runner);
    assert_eq!(processes.of(wanted).await.unwrap().count(), 0);
}
