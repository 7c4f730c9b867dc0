//! What the build depends on, against `deny.toml`: licences, banned crates, crates that may be there once only, sources.
//! The fuzz targets are a workspace of their own: they are held to bans and sources, by their lock file alone. Licences are
//! for what is shipped, which libFuzzer never is.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::{Finding, licence};
use crate::process::{cargo, output, root};

/// The one registry that dependencies may come from, as `cargo metadata` names it.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

struct Package {
    name: String,
    version: String,
    licence: String,
    source: Option<String>,
}

/// Where the fuzz targets' dependencies are pinned.
const FUZZ_LOCK: &str = "fuzz/Cargo.lock";

/// The part of `deny.toml` that is held here.
#[derive(Debug)]
pub struct Rules {
    /// What is shipped may be under these.
    pub licences: BTreeSet<String>,
    banned: BTreeMap<String, String>,
    once: BTreeSet<String>,
}

/// All dependencies on the platforms that we build for.
pub fn check() -> Result<Vec<Finding>> {
    let rules = rules(&std::fs::read_to_string(root().join("deny.toml")).context("cannot read deny.toml")?)?;
    let packages = packages()?;
    let mut findings: Vec<String> = packages.iter().filter_map(|package| of_package(package, &rules)).collect();

    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in &packages {
        versions.entry(&package.name).or_default().insert(&package.version);
    }
    for name in &rules.once {
        let Some(found) = versions.get(name.as_str()).filter(|found| found.len() > 1) else { continue };
        let found: Vec<&str> = found.iter().copied().collect();
        findings.push(format!(
            "{name} is there in versions {}: agree on one (`cargo tree --invert {name}@…` says who asks)",
            found.join(" and ")
        ));
    }
    let of_fuzz =
        std::fs::read_to_string(root().join(FUZZ_LOCK)).with_context(|| format!("cannot read {FUZZ_LOCK}"))?;
    let of_fuzz = of_lock_file(&of_fuzz, &rules).context(FUZZ_LOCK)?;
    let at = |path: &'static str| move |what| Finding { path: path.to_owned(), line: 1, what };
    Ok(findings.into_iter().map(at("Cargo.lock")).chain(of_fuzz.into_iter().map(at(FUZZ_LOCK))).collect())
}

/// What a lock file alone tells.
pub fn of_lock_file(text: &str, rules: &Rules) -> Result<Vec<String>> {
    let lock: toml::Table = text.parse().context("a lock file is no TOML")?;
    let packages = lock.get("package").and_then(toml::Value::as_array).context("a lock file lists no packages")?;
    let text = |package: &toml::Value, key: &str| package.get(key).and_then(toml::Value::as_str).map(str::to_owned);
    let mut findings = Vec::new();
    for package in packages {
        let name = text(package, "name").context("a package of a lock file has no name")?;
        let version = text(package, "version").context("a package of a lock file has no version")?;
        findings.extend(of_origin(&name, &version, text(package, "source").as_deref(), rules));
    }
    Ok(findings)
}

fn of_package(package: &Package, rules: &Rules) -> Option<String> {
    let Package { name, version, licence, source } = package;
    if let Some(finding) = of_origin(name, version, source.as_deref(), rules) {
        return Some(finding);
    }
    if !licence::is_met(licence, &rules.licences) {
        return Some(format!(
            "{name} {version} is under `{licence}`, which deny.toml does not allow: choose another crate"
        ));
    }
    None
}

/// `source` is where it comes from, `None` for a crate of ours.
fn of_origin(name: &str, version: &str, source: Option<&str>, rules: &Rules) -> Option<String> {
    if let Some(reason) = rules.banned.get(name) {
        return Some(format!(
            "{name} {version} is banned ({reason}); `cargo tree --invert {name}` says who asks for it"
        ));
    }
    if source.is_some_and(|source| source != REGISTRY) {
        return Some(format!("{name} {version} does not come from crates.io: use a published version"));
    }
    None
}

fn packages() -> Result<Vec<Package>> {
    let mut command = cargo();
    command.args(["metadata", "--format-version", "1", "--locked"]);
    command.args(["--filter-platform", "x86_64-unknown-linux-gnu", "--filter-platform", "aarch64-unknown-linux-gnu"]);
    let metadata: Value = serde_json::from_str(&output(&mut command)?).context("`cargo metadata` printed no JSON")?;
    let packages = metadata["packages"].as_array().context("`cargo metadata` lists no packages")?;
    let text = |package: &Value, key: &str| package[key].as_str().map(str::to_owned);
    let read = |package: &Value| {
        Some(Package {
            name: text(package, "name")?,
            version: text(package, "version")?,
            licence: text(package, "license").unwrap_or_else(|| "no licence".to_owned()),
            source: text(package, "source"),
        })
    };
    packages.iter().map(|package| read(package).context("a package of `cargo metadata` has no name")).collect()
}

/// Those in the text of `deny.toml`.
pub fn rules(text: &str) -> Result<Rules> {
    let file: toml::Table = text.parse().context("deny.toml")?;
    let licences = file["licenses"]["allow"].as_array().context("deny.toml: licenses.allow is no list")?;
    let licences = licences.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect();
    let mut rules = Rules { licences, banned: BTreeMap::new(), once: BTreeSet::new() };
    for entry in file["bans"]["deny"].as_array().context("deny.toml: bans.deny is no list")? {
        let name = entry.get("crate").and_then(toml::Value::as_str).context("deny.toml: a ban names no crate")?;
        if entry.get("deny-multiple-versions").and_then(toml::Value::as_bool) == Some(true) {
            rules.once.insert(name.to_owned());
        } else {
            let reason = entry.get("reason").and_then(toml::Value::as_str).unwrap_or("no reason given");
            rules.banned.insert(name.to_owned(), reason.to_owned());
        }
    }
    Ok(rules)
}
