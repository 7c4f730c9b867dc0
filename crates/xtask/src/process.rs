//! Runs other programs in the repository's root: shown before they start, waited for, their failure told in one line.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

/// The repository's root.
pub fn root() -> PathBuf {
    // Cargo tells it at each run, so a checkout that was moved together with its `target` finds itself.
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    here.ancestors().nth(2).expect("this crate lies two levels below the root").to_path_buf()
}

/// The cargo that runs us.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Runs to the end; fails if the program does.
pub fn run(command: &mut Command) -> Result<()> {
    let line = shown(command);
    eprintln!("$ {line}");
    let status = command.status().with_context(|| format!("cannot start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    Ok(())
}

/// Standard output of a program that must succeed.
pub fn output(command: &mut Command) -> Result<String> {
    let line = shown(command);
    let output = command.stderr(Stdio::inherit()).output().with_context(|| format!("cannot start `{line}`"))?;
    if !output.status.success() {
        bail!("`{line}` failed ({})", output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{line}` printed something that is no UTF-8"))
}

/// Whether a program runs at all: it is installed, and answers with success.
pub fn works(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Where cargo puts what it builds.
pub fn target_dir() -> Result<PathBuf> {
    let text = output(cargo().args(["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: serde_json::Value = serde_json::from_str(&text).context("`cargo metadata` printed no JSON")?;
    let dir = metadata["target_directory"].as_str().context("`cargo metadata` names no target_directory")?;
    Ok(PathBuf::from(dir))
}

fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program()).to_string_lossy();
    let mut line = program.into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}
