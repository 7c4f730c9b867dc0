//! The command line: `run`, `enroll`, `probe`, `edges`, `check-config`, `completions`, `man`.
//!
//! Exit codes: 0 fine, 1 what was to be reached does not answer, 2 an error, which is one line on standard error.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{CommandFactory as _, Parser, Subcommand};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::config::{AgentConfig, DEFAULT_PATH};

mod edges;
mod enroll;
mod manual;
mod print;
mod probe;

const ERROR: u8 = 2;

#[derive(Debug, Parser)]
#[command(name = "quorate-agent", version, about = "Checks this server and knocks on its peers as a client would")]
struct Arguments {
    /// The agent's file.
    #[arg(long, global = true, env = "QUORATE_AGENT_CONFIG", default_value = DEFAULT_PATH)]
    config: PathBuf,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Watch and report until stopped.
    Run,
    /// Make this server known, with the token or the whole command that the aggregator printed.
    Enroll(enroll::Arguments),
    /// Knock once and show each step.
    Probe(probe::Arguments),
    /// Show the edges to the gateway: which one is used, why, and what would change that.
    Edges(edges::Arguments),
    /// Check the agent's file and say what is wrong with it.
    CheckConfig,
    /// Print completions for a shell.
    Completions(manual::CompletionsArguments),
    /// Write the manual pages.
    Man(manual::ManArguments),
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // One thread is enough for one knock at a time, and every thread costs memory on a small server.
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return complain(&anyhow::Error::new(error).context("cannot start")),
    };
    let done = runtime.block_on(arguments.run());
    // Not waiting for a resolver that hangs.
    runtime.shutdown_background();
    done.unwrap_or_else(|error| complain(&error))
}

fn complain(error: &anyhow::Error) -> ExitCode {
    print::error(error);
    ExitCode::from(ERROR)
}

impl Arguments {
    async fn run(self) -> anyhow::Result<ExitCode> {
        match self.command {
            Command::Run => {
                let config = AgentConfig::load(&self.config)?;
                start_logging();
                let shutdown = CancellationToken::new();
                cancel_on_signal(&shutdown)?;
                crate::run(config, shutdown).await?;
                Ok(ExitCode::SUCCESS)
            }
            Command::Enroll(arguments) => arguments.run(&self.config).await,
            Command::Probe(arguments) => arguments.run().await,
            Command::Edges(arguments) => arguments.run(&self.config).await,
            Command::CheckConfig => {
                AgentConfig::load(&self.config)?;
                print::line(format_args!("{}: fine", self.config.display()))?;
                Ok(ExitCode::SUCCESS)
            }
            Command::Completions(arguments) => arguments.run(Arguments::command()),
            Command::Man(arguments) => arguments.run(Arguments::command()),
        }
    }
}

fn cancel_on_signal(shutdown: &CancellationToken) -> anyhow::Result<()> {
    for kind in [SignalKind::terminate(), SignalKind::interrupt()] {
        let mut signals = signal(kind).context("cannot listen for signals")?;
        let shutdown = shutdown.clone();
        tokio::spawn(async move {
            signals.recv().await;
            shutdown.cancel();
        });
    }
    Ok(())
}

fn start_logging() {
    use tracing_subscriber::EnvFilter;
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let colour = std::io::IsTerminal::is_terminal(&std::io::stderr()) && std::env::var_os("NO_COLOR").is_none();
    let _ = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(colour).with_writer(std::io::stderr).try_init();
}
