//! What the tests and the benches want of the machine beyond cargo. Nothing here is fatal to tests: one whose need is missing
//! skips itself by name, and this says once, before the run, what is missing and how to get it. A bench does not begin.

use std::path::Path;

use anyhow::{Result, bail};

use crate::process::works;

struct Need {
    /// Also the bench of edges wants it.
    edges: bool,
    met: fn() -> bool,
    what: &'static str,
    how: &'static str,
}

const NEEDS: &[Need] = &[
    Need {
        edges: true,
        met: || is_root() || works("unshare", &["--user", "--map-root-user", "--net", "true"]),
        what: "the lab: network namespaces",
        how: "run as root, or allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1)",
    },
    Need { edges: true, met: || on_path("ip"), what: "the lab: ip", how: "apt-get install iproute2" },
    Need { edges: true, met: || on_path("nft"), what: "the lab: nft", how: "apt-get install nftables" },
    Need {
        edges: false,
        met: || on_path("nginx"),
        what: "the lab's HTTPS decoy: nginx",
        how: "apt-get install nginx-light",
    },
    Need { edges: true, met: || on_path("haproxy"), what: "the lab's edges: haproxy", how: "apt-get install haproxy" },
    Need {
        edges: true,
        met: || on_path("python3"),
        what: "a look into the archive: python3",
        how: "apt-get install python3",
    },
    Need { edges: true, met: || on_path("nsd"), what: "the lab's name server: nsd", how: "apt-get install nsd" },
    Need {
        edges: false,
        met: || works("python3", &["-m", "pip", "--version"]),
        what: "the lab's VPN servers: pip, which fetches sing-box",
        how: "apt-get install python3-pip",
    },
    Need {
        edges: false,
        met: || below("/usr/lib", "faketime/libfaketimeMT.so.1"),
        what: "tests with a wrong wall clock: libfaketime",
        how: "apt-get install faketime",
    },
    Need {
        edges: false,
        met: || on_path("postgres") || below("/usr/lib/postgresql", "bin/postgres"),
        what: "tests on PostgreSQL: postgres",
        how: "apt-get install postgresql",
    },
    Need { edges: false, met: || on_path("node"), what: "the pages: Node.js", how: "apt-get install nodejs npm" },
    Need {
        edges: false,
        met: || on_path("chromium"),
        what: "the pages' tests: Chromium",
        how: "apt-get install chromium",
    },
];

/// Prints one line per missing need.
pub fn tell() {
    for need in NEEDS.iter().filter(|need| !(need.met)()) {
        eprintln!("missing for {} (to get it: {}); its tests will be skipped", need.what, need.how);
    }
}

/// Fails, in one line, if something is missing that the bench of edges cannot do without.
pub fn require_for_edges() -> Result<()> {
    let missing = NEEDS.iter().filter(|need| need.edges && !(need.met)());
    let lines: Vec<String> = missing.map(|need| format!("{} (to get it: {})", need.what, need.how)).collect();
    refuse(&lines)
}

/// A program of Debian's that a bench measures against or with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Tool {
    pub program: &'static str,
    /// The package that has it.
    pub package: &'static str,
}

/// Fails, in one line, if one of these is missing.
pub fn require(tools: &[Tool]) -> Result<()> {
    let missing = tools.iter().filter(|tool| !on_path(tool.program));
    let mut lines: Vec<String> =
        missing.map(|tool| format!("{} (to get it: apt-get install {})", tool.program, tool.package)).collect();
    lines.sort_unstable();
    lines.dedup();
    refuse(&lines)
}

fn refuse(missing: &[String]) -> Result<()> {
    if !missing.is_empty() {
        bail!("missing: {}", missing.join("; "));
    }
    Ok(())
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

/// Debian keeps `ip`, `nft`, `nginx` and the like where an ordinary user's PATH does not look.
fn on_path(program: &str) -> bool {
    let path = std::env::var("PATH").unwrap_or_default();
    path.split(':').chain(["/usr/sbin", "/sbin"]).any(|dir| Path::new(dir).join(program).is_file())
}

/// Debian keeps some things by platform or version: whether one of the folders in `parent` has `file`.
fn below(parent: &str, file: &str) -> bool {
    let Ok(folders) = std::fs::read_dir(parent) else { return false };
    folders.flatten().any(|folder| folder.path().join(file).is_file())
}
