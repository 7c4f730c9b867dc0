//! Services: systemd units, processes by name, commands; or the usual VPN servers, where nothing is configured.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use quorate_proto::v1::{Finding, Service};
use tokio::process::Command;

use crate::config::{ServiceCheck, ServiceHow};

/// Time for a command; one that takes longer says nothing about the service.
const COMMAND_BUDGET: Duration = Duration::from_secs(10);

/// What is looked for where nothing is configured: process names as the kernel shows them.
const USUAL: [(&str, &str); 6] = [
    ("xray", "xray"),
    ("sing-box", "sing-box"),
    ("hysteria", "hysteria"),
    ("openvpn", "openvpn"),
    ("wireguard", "wg-crypt-wg0"),
    ("wireguard", "wireguard-go"),
];

/// The kernel shows this many bytes of a process's name.
const NAME_BYTES_SHOWN: usize = 15;

pub(super) async fn look(configured: &[ServiceCheck]) -> Vec<Service> {
    if configured.is_empty() {
        return blocking(usual).await.unwrap_or_default();
    }
    let mut found = Vec::with_capacity(configured.len());
    for service in configured {
        let (finding, detail) = match &service.how {
            ServiceHow::Unit(unit) => unit_active(unit).await,
            ServiceHow::Process(name) => {
                let name = name.clone();
                blocking(move || process_runs(&name)).await.unwrap_or((Finding::Unknown, String::new()))
            }
            ServiceHow::Command(command) => command_succeeds(command).await,
        };
        found.push(Service { name: service.name.clone(), finding: finding.into(), detail });
    }
    found
}

async fn unit_active(unit: &str) -> (Finding, String) {
    let mut command = Command::new("systemctl");
    command.args(["is-active", "--", unit]).stdin(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    match tokio::time::timeout(COMMAND_BUDGET, command.output()).await {
        Err(_) => (Finding::Unknown, "systemctl does not answer".to_owned()),
        Ok(Err(problem)) => (Finding::Unknown, format!("systemctl: {problem}")),
        Ok(Ok(output)) => unit_finding(String::from_utf8_lossy(&output.stdout).trim(), &output.stderr),
    }
}

/// What `systemctl is-active` prints; without the system's bus it prints nothing, or "unknown".
fn unit_finding(state: &str, complaint: &[u8]) -> (Finding, String) {
    let finding = match state {
        "active" | "reloading" | "activating" | "refreshing" => Finding::Ok,
        "inactive" | "failed" | "deactivating" | "maintenance" => Finding::Failed,
        _ => Finding::Unknown,
    };
    let complaint = String::from_utf8_lossy(complaint);
    let detail = if state.is_empty() { complaint.lines().next().unwrap_or_default() } else { state };
    (finding, detail.to_owned())
}

async fn command_succeeds(line: &str) -> (Finding, String) {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", line]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    match tokio::time::timeout(COMMAND_BUDGET, command.status()).await {
        Err(_) => (Finding::Unknown, "the command takes longer than 10 s".to_owned()),
        Ok(Err(problem)) => (Finding::Unknown, format!("/bin/sh: {problem}")),
        Ok(Ok(status)) => match status.code() {
            Some(0) => (Finding::Ok, String::new()),
            // The shell's own words for "not allowed" and "not found".
            Some(code @ (126 | 127)) => (Finding::Unknown, format!("the command cannot be run ({code})")),
            Some(code) => (Finding::Failed, format!("exit code {code}")),
            None => (Finding::Unknown, format!("{status}")),
        },
    }
}

fn process_runs(name: &str) -> (Finding, String) {
    match names() {
        Ok(names) if names.contains(shown(name)) => (Finding::Ok, String::new()),
        Ok(_) if others_are_hidden() => (Finding::Unknown, "processes of others are hidden (hidepid)".to_owned()),
        Ok(_) => (Finding::Failed, "no such process".to_owned()),
        Err(problem) => (Finding::Unknown, format!("/proc: {problem}")),
    }
}

/// Those of the usual servers that run. One that does not is no finding: nobody said that it should.
fn usual() -> Vec<Service> {
    let Ok(names) = names() else { return Vec::new() };
    let runs = |process: &str| match process {
        // A kernel interface has a worker per device, whatever its name.
        "wg-crypt-wg0" => {
            names.range("wg-crypt-".to_owned()..).next().is_some_and(|name| name.starts_with("wg-crypt-"))
        }
        process => names.contains(process),
    };
    let mut found: Vec<Service> = Vec::new();
    for (name, process) in USUAL {
        if runs(process) && found.iter().all(|service| service.name != name) {
            let detail = "found running".to_owned();
            found.push(Service { name: name.to_owned(), finding: Finding::Ok.into(), detail });
        }
    }
    found
}

fn names() -> io::Result<std::collections::BTreeSet<String>> {
    let mut names = std::collections::BTreeSet::new();
    for entry in std::fs::read_dir("/proc")? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().bytes().all(|byte| byte.is_ascii_digit()) {
            // A process may end between the two looks.
            if let Ok(name) = shown_name(&entry.path()) {
                names.insert(name);
            }
        }
    }
    Ok(names)
}

/// The name of one process. It fits into one read, and there are hundreds of processes to read in each round.
fn shown_name(process: &Path) -> io::Result<String> {
    let mut line = [0; NAME_BYTES_SHOWN + 1];
    let read = File::open(process.join("comm"))?.read(&mut line)?;
    Ok(String::from_utf8_lossy(&line[..read]).trim_end_matches('\n').to_owned())
}

fn others_are_hidden() -> bool {
    std::fs::read("/proc/1/comm").is_err()
}

fn shown(name: &str) -> &str {
    let mut end = name.len().min(NAME_BYTES_SHOWN);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    &name[..end]
}

async fn blocking<T: Send + 'static>(look: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(look).await.ok()
}
