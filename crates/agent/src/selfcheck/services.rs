//! Services: systemd units, processes by name, commands; or the usual VPN servers, where nothing is configured.

use std::process::Stdio;
use std::time::Duration;

use quorate_proto::v1::{Finding, Service};
use tokio::process::Command;

use super::processes::Processes;
use crate::config::{ServiceCheck, ServiceHow};

/// Time for a command; one that takes longer says nothing about the service.
const COMMAND_BUDGET: Duration = Duration::from_secs(10);

/// What is looked for where nothing is configured: process names as the kernel shows them.
const USUAL: [(&str, &str); 6] = [
    ("xray", "xray"),
    ("sing-box", "sing-box"),
    ("hysteria", "hysteria"),
    ("openvpn", "openvpn"),
    ("wireguard", WIREGUARD_WORKER),
    ("wireguard", "wireguard-go"),
];

/// How the names begin of the workers of `WireGuard` in the kernel: one for each interface, whatever its name.
const WIREGUARD_WORKER: &str = "wg-crypt-";

pub(super) async fn look(configured: &[ServiceCheck], processes: &mut Processes) -> Vec<Service> {
    if configured.is_empty() {
        return usual(processes).await;
    }
    let mut found = Vec::with_capacity(configured.len());
    for service in configured {
        let (finding, detail) = match &service.how {
            ServiceHow::Unit(unit) => unit_active(unit).await,
            ServiceHow::Process(name) => process_runs(processes, name).await,
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

async fn process_runs(processes: &mut Processes, name: &str) -> (Finding, String) {
    match processes.runs(name).await {
        Ok(true) => (Finding::Ok, String::new()),
        Ok(false) if others_are_hidden() => (Finding::Unknown, "processes of others are hidden (hidepid)".to_owned()),
        Ok(false) => (Finding::Failed, "no such process".to_owned()),
        Err(problem) => (Finding::Unknown, format!("/proc: {problem}")),
    }
}

/// Those of the usual servers that run. One that does not is no finding: nobody said that it should.
async fn usual(processes: &mut Processes) -> Vec<Service> {
    let Ok(running) = processes.of(|name| usual_name(name).is_some()).await else { return Vec::new() };
    let mut names: Vec<&str> = running.filter_map(usual_name).collect();
    names.dedup();
    let found =
        |name: &str| Service { name: name.to_owned(), finding: Finding::Ok.into(), detail: "found running".to_owned() };
    names.into_iter().map(found).collect()
}

/// What a process is the server of, if it is one of the usual.
fn usual_name(process: &str) -> Option<&'static str> {
    let is_it = |shown: &str| process == shown || (shown == WIREGUARD_WORKER && process.starts_with(shown));
    USUAL.iter().find(|(_, shown)| is_it(shown)).map(|(name, _)| *name)
}

fn others_are_hidden() -> bool {
    std::fs::read("/proc/1/comm").is_err()
}
