//! What the pages and their tests are built with, by npm's lock files: the same from any machine, and under licences that may
//! be shipped.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::{Finding, dependencies, licence};
use crate::process::root;

/// Where npm's dependencies are pinned.
const LOCKS: [&str; 2] = ["web/package-lock.json", "tests/browser/package-lock.json"];
/// Where npm's packages come from; a mirror is a matter of the machine.
const REGISTRY: &str = "https://registry.npmjs.org/";

/// All lock files, against the licences of `deny.toml`.
pub fn check() -> Result<Vec<Finding>> {
    let rules = std::fs::read_to_string(root().join("deny.toml")).context("cannot read deny.toml")?;
    let licences = dependencies::rules(&rules)?.licences;
    let mut findings = Vec::new();
    for path in LOCKS {
        let text = std::fs::read_to_string(root().join(path)).with_context(|| format!("cannot read {path}"))?;
        let found = of_lock_file(&text, &licences).context(path)?;
        findings.extend(found.into_iter().map(|what| Finding { path: path.to_owned(), line: 1, what }));
    }
    Ok(findings)
}

/// What a lock file tells. Only what is no development dependency ends up in the pages.
pub fn of_lock_file(text: &str, licences: &BTreeSet<String>) -> Result<Vec<String>> {
    let lock: Value = serde_json::from_str(text).context("a lock file is no JSON")?;
    let packages = lock["packages"].as_object().context("a lock file lists no packages")?;
    let mut findings = Vec::new();
    for (path, package) in packages.iter().filter(|(path, _)| !path.is_empty()) {
        let name = path.rsplit_once("node_modules/").map_or(path.as_str(), |(_, name)| name);
        let resolved = package["resolved"].as_str().filter(|from| !from.starts_with(REGISTRY));
        if let Some(from) = resolved {
            findings.push(format!("{name} comes from {from}: install it with `omit-lockfile-registry-resolved=true`"));
        }
        if package["integrity"].as_str().is_none() {
            findings.push(format!("{name} has no hash: use a published version"));
        }
        let licence = package["license"].as_str().unwrap_or("no licence");
        if package["dev"] != true && !licence::is_met(licence, licences) {
            findings
                .push(format!("{name} is under `{licence}`, which deny.toml does not allow: choose another package"));
        }
    }
    Ok(findings)
}
