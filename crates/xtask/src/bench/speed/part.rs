//! A part of the bench: what it measures, what it builds for that, and what the machine must have.

use std::process::{Command, Stdio};

use anyhow::Result;

use super::figures::Figures;
use super::row::Row;
use crate::needs::Tool;
use crate::process::{self, cargo, root, target_dir};

/// One thing that is measured.
pub struct Part {
    /// What `--only` calls it.
    pub name: &'static str,
    /// Said when it begins.
    pub about: &'static str,
    /// What it runs of ours.
    pub programs: &'static [Program],
    /// What it runs of others.
    pub needs: &'static [Tool],
    /// Measures.
    pub measure: fn() -> Result<Vec<Row>>,
}

/// A program of ours that measures or is measured, built in release.
pub struct Program {
    pub package: &'static str,
    pub target: Target,
}

/// What cargo calls it.
pub enum Target {
    Bin(&'static str),
    Example(&'static str),
}

impl Program {
    pub const fn bin(package: &'static str, name: &'static str) -> Self {
        Self { package, target: Target::Bin(name) }
    }

    pub const fn example(package: &'static str, name: &'static str) -> Self {
        Self { package, target: Target::Example(name) }
    }

    /// Runs it to its end and reads the figures that it prints; what it says on standard error passes by.
    pub fn figures(&self, arguments: &[&str]) -> Result<Figures> {
        Figures::read(&process::output(self.command()?.args(arguments))?)
    }

    /// To be started by hand, in the repository's root, without input.
    pub fn command(&self) -> Result<Command> {
        let release = target_dir()?.join("release");
        let mut command = Command::new(match self.target {
            Target::Bin(name) => release.join(name),
            Target::Example(name) => release.join("examples").join(name),
        });
        command.current_dir(root()).stdin(Stdio::null());
        Ok(command)
    }
}

/// Builds all that some parts run: in one go, so that what they share is built once.
pub fn build(parts: &[&Part]) -> Result<()> {
    let mut build = cargo();
    build.args(["build", "--quiet", "--release"]);
    let (mut packages, mut targets): (Vec<&str>, Vec<[&str; 2]>) = (Vec::new(), Vec::new());
    for program in parts.iter().flat_map(|part| part.programs) {
        packages.push(program.package);
        targets.push(match program.target {
            Target::Bin(name) => ["--bin", name],
            Target::Example(name) => ["--example", name],
        });
    }
    if packages.is_empty() {
        return Ok(());
    }
    packages.sort_unstable();
    packages.dedup();
    targets.sort_unstable();
    targets.dedup();
    build.args(packages.into_iter().flat_map(|package| ["--package", package])).args(targets.concat());
    process::run(&mut build)
}
