//! What the compiler's lints cannot say about this repository. Each check is a function from files to findings; a finding
//! names file and line and says what to do. Exceptions stand in one place, [`exceptions`], each with its reason.

mod dependencies;
mod exceptions;
mod layers;
mod licence;
mod links;
mod packages;
mod shape;
mod source;
#[cfg(test)]
mod tests;
mod text;

use std::fmt;
use std::process::ExitCode;

use anyhow::Result;

use self::source::Source;

/// One thing to mend.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    path: String,
    line: usize,
    what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.what)
    }
}

/// Prints all findings; fails if there is one.
pub fn run() -> Result<ExitCode> {
    let sources = source::all()?;
    let mut findings = of_sources(&sources);
    findings.extend(links::check(&sources));
    findings.extend(text::machine_paths(&sources));
    findings.extend(dependencies::check()?);
    findings.extend(packages::check()?);
    findings.sort();
    for finding in &findings {
        println!("{finding}");
    }
    for warning in sources.iter().filter_map(shape::growing) {
        println!("warning: {warning}");
    }
    println!("tidy: {} files, {} findings", sources.len(), findings.len());
    Ok(if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What a file's own text decides.
fn of_sources(sources: &[Source]) -> Vec<Finding> {
    let checks = [
        layers::clocks,
        layers::database,
        layers::sides,
        layers::core_without_std,
        layers::one_way,
        shape::header,
        shape::length,
        shape::unfinished,
        text::trailing_space,
    ];
    sources.iter().flat_map(|source| checks.iter().flat_map(move |check| check(source))).collect()
}
