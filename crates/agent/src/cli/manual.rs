//! `completions` and `man`: what a shell and a reader of manuals know of this program, made from the commands themselves.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::ValueEnum;
use clap_complete::Shell;

/// For which shell.
#[derive(Debug, clap::Args)]
pub(super) struct CompletionsArguments {
    /// The shell.
    shell: ShellName,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ShellName {
    /// bash, with the package bash-completion
    Bash,
    /// zsh
    Zsh,
    /// fish
    Fish,
}

/// Where to.
#[derive(Debug, clap::Args)]
pub(super) struct ManArguments {
    /// Folder for the pages, one for each command; made if it is not there.
    dir: PathBuf,
}

impl CompletionsArguments {
    /// Prints a shell's completions of `command`.
    pub(super) fn run(self, mut command: clap::Command) -> anyhow::Result<ExitCode> {
        let shell = match self.shell {
            ShellName::Bash => Shell::Bash,
            ShellName::Zsh => Shell::Zsh,
            ShellName::Fish => Shell::Fish,
        };
        let name = command.get_name().to_owned();
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut command, name, &mut script);
        match io::stdout().write_all(&script) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error).context("cannot print"),
            _ => Ok(ExitCode::SUCCESS),
        }
    }
}

impl ManArguments {
    /// Writes the manual pages of `command`.
    pub(super) fn run(self, command: clap::Command) -> anyhow::Result<ExitCode> {
        fs::create_dir_all(&self.dir)
            .and_then(|()| clap_mangen::generate_to(command, &self.dir))
            .with_context(|| self.dir.display().to_string())?;
        Ok(ExitCode::SUCCESS)
    }
}
