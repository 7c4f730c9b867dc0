//! The program as people and scripts use it.
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::fs::{self, File};
use std::process::{Command, Output};

fn checked(out: File) -> Output {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("agent.toml");
    fs::write(&file, "gateway = \"watch.example.org:8443\"\n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_quorate-agent"));
    command.arg("check-config").arg("--config").arg(&file).stdout(out);
    command.stderr(std::process::Stdio::piped()).spawn().unwrap().wait_with_output().unwrap()
}

#[test]
fn without_an_agent_there_are_no_edges_to_show() {
    let place = tempfile::tempdir().unwrap();
    let (file, data) = (place.path().join("agent.toml"), place.path().join("data"));
    fs::write(&file, format!("gateway = \"watch.example.org:8443\"\ndata_dir = \"{}\"\n", data.display())).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_quorate-agent"));
    let ended = command.arg("edges").arg("--config").arg(&file).output().unwrap();
    let path = data.join("edges.json");
    let told = format!(
        "{} says nothing of watch.example.org:8443: an agent writes it while it runs; --measure looks without one\n",
        path.display()
    );
    assert_eq!((ended.status.code(), String::from_utf8_lossy(&ended.stderr).as_ref()), (Some(2), told.as_str()));
    assert_eq!(ended.stdout, b"");
}

#[test]
fn a_reader_that_has_gone_is_no_error() {
    let (read, write) = nix::unistd::pipe().unwrap();
    drop(read);
    let ended = checked(File::from(write));
    assert_eq!((ended.status.code(), ended.stderr.as_slice()), (Some(0), b"".as_slice()));
}

#[test]
fn output_that_cannot_be_written_is_one_line() {
    let ended = checked(File::options().write(true).open("/dev/full").unwrap());
    assert_eq!(ended.status.code(), Some(2));
    assert_eq!(String::from_utf8_lossy(&ended.stderr), "cannot print: No space left on device (os error 28)\n");
}

#[test]
fn completions_and_manual_pages_name_every_command() {
    let agent = || Command::new(env!("CARGO_BIN_EXE_quorate-agent"));
    let help = String::from_utf8(agent().arg("--help").output().unwrap().stdout).unwrap();
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let commands: Vec<&str> = listed.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(commands.contains(&"run") && commands.contains(&"probe"), "{commands:?}");
    for shell in ["bash", "zsh", "fish"] {
        let script = agent().args(["completions", shell]).output().unwrap();
        let text = String::from_utf8(script.stdout).unwrap();
        assert!(script.status.success() && commands.iter().all(|name| text.contains(name)), "{shell}: {text}");
    }
    let place = tempfile::tempdir().unwrap();
    assert!(agent().arg("man").arg(place.path().join("man1")).status().unwrap().success());
    for name in commands.iter().filter(|name| **name != "help") {
        let page = fs::read_to_string(place.path().join(format!("man1/quorate-agent-{name}.1"))).unwrap();
        assert!(page.contains(".SH NAME"), "{name}: {page}");
    }
}
