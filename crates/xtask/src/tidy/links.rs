//! Links in the documentation lead somewhere: a relative link names a file of the repository, and a `#part` of a Markdown
//! file one of its headings.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::Finding;
use super::source::Source;
use crate::process::root;

/// Every inline link of every Markdown file. Links to the web are not followed: CI has no business there.
pub fn check(sources: &[Source]) -> Vec<Finding> {
    let documents = sources.iter().filter(|source| Path::new(&source.path).extension().is_some_and(|e| e == "md"));
    documents.flat_map(|document| in_document(document, sources)).collect()
}

fn in_document(document: &Source, sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, target) in links(&document.text) {
        if target.contains("://") || target.starts_with("mailto:") {
            continue;
        }
        let (file, part) = target.split_once('#').unwrap_or((target, ""));
        let path = if file.is_empty() { document.path.clone() } else { resolved(&document.path, file) };
        if !root().join(&path).exists() {
            findings.push(document.finding(line, format!("the link to `{target}` leads nowhere: there is no {path}")));
            continue;
        }
        let headings = sources.iter().find(|source| source.path == path).map(|source| headings(&source.text));
        if !part.is_empty() && headings.is_some_and(|headings| !headings.contains(part)) {
            findings.push(document.finding(line, format!("`{target}`: {path} has no heading of that name")));
        }
    }
    findings
}

/// Targets of `[text](target)` outside code blocks, with their lines.
pub fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (ix, line) in text.lines().enumerate() {
        fenced ^= line.trim_start().starts_with("```");
        let mut rest = if fenced { "" } else { line };
        while let Some((_, after)) = rest.split_once("](") {
            let Some((target, tail)) = after.split_once(')') else { break };
            found.push((ix + 1, target.split(' ').next().unwrap_or(target)));
            rest = tail;
        }
    }
    found
}

/// Headings as GitHub names them in links.
fn headings(text: &str) -> BTreeSet<String> {
    let titles = text.lines().filter(|line| line.starts_with('#'));
    titles
        .map(|line| {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}

/// `link` as seen from the folder of `document`, as a path from the root.
fn resolved(document: &str, link: &str) -> String {
    let folder = Path::new(document).parent().unwrap_or(Path::new(""));
    let mut path = PathBuf::new();
    for component in folder.join(link).components() {
        match component {
            Component::ParentDir => {
                path.pop();
            }
            Component::Normal(name) => path.push(name),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    path.to_string_lossy().into_owned()
}
