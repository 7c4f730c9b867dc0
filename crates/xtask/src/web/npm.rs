//! Node.js and npm: whether they are there and new enough, and what npm's many lines about a failure come down to.

use std::fmt;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::process;

/// Why there are no new pages though nothing is wrong with them, in one line.
#[derive(Debug, PartialEq, Eq)]
pub enum Lacking {
    /// No program of that name.
    Program(&'static str),
    /// A version, and the least that does.
    Newer(String, String),
    /// npm's own words on why it cannot fetch.
    Registry(String),
}

impl fmt::Display for Lacking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = "apt-get install nodejs npm, or nodejs.org";
        match self {
            Self::Program(program) => {
                write!(f, "the pages need Node.js, and `{program}` is not installed (to get it: {how})")
            }
            Self::Newer(found, least) => {
                write!(f, "the pages need Node.js {least}, and here is {found} (to get it: {how})")
            }
            Self::Registry(told) => {
                write!(
                    f,
                    "npm cannot fetch what the pages are built with: {told} (`npm config get registry` says where from)"
                )
            }
        }
    }
}

/// Beside what npm installed: the lock file that it was installed by.
const INSTALLED_BY: &str = "node_modules/.installed-by";

/// Installs what the lock file in `folder` names, unless that is there already. What this machine lacks for it, if anything.
pub fn install(folder: &Path) -> Result<Option<Lacking>> {
    let lock = folder.join("package-lock.json");
    let lock = fs::read_to_string(&lock).with_context(|| format!("cannot read {}", lock.display()))?;
    let note = folder.join(INSTALLED_BY);
    if let Some(lacking) = node(folder)? {
        return Ok(Some(lacking));
    }
    if fs::read_to_string(&note).is_ok_and(|noted| noted == lock) {
        return Ok(None);
    }
    let mut npm = npm(folder);
    npm.args(["ci", "--prefer-offline", "--no-progress"]);
    eprintln!("$ npm ci (in {})", shown(folder));
    let done = npm.stdin(Stdio::null()).output().context("npm cannot be started")?;
    if !done.status.success() {
        let told = String::from_utf8_lossy(&done.stderr);
        return match failure(&told) {
            (code, line) if is_of_the_way(&code) => Ok(Some(Lacking::Registry(line))),
            (_, line) => bail!("`npm ci` in {} failed: {line}", shown(folder)),
        };
    }
    fs::write(&note, lock).with_context(|| format!("cannot write {}", note.display()))?;
    Ok(None)
}

/// Runs a script of `package.json`, which shows its own failure.
pub fn run_script(folder: &Path, script: &str) -> Result<()> {
    process::run(npm(folder).args(["run", "--silent", script]))
}

fn npm(folder: &Path) -> Command {
    let mut npm = Command::new("npm");
    npm.current_dir(folder);
    npm
}

/// What is missing of Node.js and npm, as new as `package.json` wants them.
fn node(folder: &Path) -> Result<Option<Lacking>> {
    let manifest = folder.join("package.json");
    let manifest = fs::read_to_string(&manifest).with_context(|| format!("cannot read {}", manifest.display()))?;
    let manifest: Value = serde_json::from_str(&manifest).context("package.json is no JSON")?;
    let least = manifest["engines"]["node"].as_str().unwrap_or_default().trim_start_matches(">=").to_owned();
    let Ok(found) = Command::new("node").arg("--version").stdin(Stdio::null()).output() else {
        return Ok(Some(Lacking::Program("node")));
    };
    let found = String::from_utf8_lossy(&found.stdout).trim().trim_start_matches('v').to_owned();
    if version(&found) < version(&least) {
        return Ok(Some(Lacking::Newer(found, least)));
    }
    Ok((!process::works("npm", &["--version"])).then_some(Lacking::Program("npm")))
}

/// As numbers, so that 9 comes before 20.
pub fn version(text: &str) -> Vec<u32> {
    text.split('.').map(|part| part.parse().unwrap_or(0)).collect()
}

/// The code of npm's failure and its most telling line.
pub fn failure(told: &str) -> (String, String) {
    let lines = || told.lines().filter_map(|line| line.trim().strip_prefix("npm error ")).map(str::trim);
    let code = lines().find_map(|line| line.strip_prefix("code ")).unwrap_or_default().to_owned();
    let is_telling = |line: &&str| {
        !["code ", "syscall ", "errno ", "A complete log", "type ", "path ", "dest "]
            .iter()
            .any(|dull| line.starts_with(dull))
    };
    let line = lines().find(is_telling).or_else(|| told.lines().rfind(|line| !line.trim().is_empty()));
    (code, line.unwrap_or("npm said nothing").trim().to_owned())
}

/// Whether a failure is one of the way to the registry, not of what was asked of it.
pub fn is_of_the_way(code: &str) -> bool {
    let of_network =
        ["EAI_AGAIN", "ENOTFOUND", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH", "EHOSTUNREACH"];
    of_network.contains(&code)
        || ["ENOTCACHED", "ERR_SOCKET_TIMEOUT"].contains(&code)
        || code.starts_with("E5")
        || code.contains("CERT")
}

fn shown(folder: &Path) -> String {
    folder.strip_prefix(process::root()).unwrap_or(folder).display().to_string()
}
