//! `completions` and `man`: what a shell and a reader of manuals know of this program, made from the commands themselves.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, Command, ValueEnum};
use clap_complete::Shell;

use super::{End, Failure, print};

/// For which shell.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    shell: ShellArg,
}

/// A shell.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ShellArg {
    /// bash, with the package bash-completion
    Bash,
    /// zsh
    Zsh,
    /// fish
    Fish,
}

/// Where to.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Folder for the pages, one for each command; made if it is not there
    dir: PathBuf,
}

/// Prints a shell's completions of `command`.
pub fn completions(mut command: Command, args: &CompletionsArgs) -> Result<End, Failure> {
    let shell = match args.shell {
        ShellArg::Bash => Shell::Bash,
        ShellArg::Zsh => Shell::Zsh,
        ShellArg::Fish => Shell::Fish,
    };
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, name, &mut script);
    print::written(std::io::stdout().write_all(&script))?;
    Ok(End::Fine)
}

/// Writes the manual pages of `command`.
pub fn man(command: Command, args: &ManArgs) -> Result<End, Failure> {
    let told = |error: std::io::Error| Failure::new(format!("{}: {error}", args.dir.display()));
    fs::create_dir_all(&args.dir).map_err(told)?;
    clap_mangen::generate_to(command, &args.dir).map_err(told)?;
    print::note(&format!("written to {}", args.dir.display()));
    Ok(End::Fine)
}
