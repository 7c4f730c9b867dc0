//! `cargo xtask`: what people and CI run, in one place, so that a green run here is a green run there.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line: printing is its job")]

mod bench;
mod ci;
mod clock;
mod demo;
mod needs;
mod process;
mod suite;
mod tidy;
mod web;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// What people and CI run.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// A fleet on loopback that is blocked, votes and heals before your eyes. Arguments go to `quorate-aggregator demo`.
    Demo {
        /// Passed on, e.g. `--for 60s`.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// All tests; says at the end which were skipped and why. Arguments go to the test runner, e.g. a name to filter by.
    Test {
        /// Passed on.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Everything that must hold before a change lands: format, lints, tidy, dependencies, tests.
    Ci,
    /// Figures that the documentation quotes: without a word, the speed of everything against what one would use instead.
    Bench(bench::Arguments),
    /// What the compiler's lints cannot say: layers, clocks, headers, lengths, links, dependencies.
    Tidy,
    /// The pages, from `web/` into `web/dist`, where the aggregator's build takes them in. Does nothing if nothing changed.
    Web,
}

fn main() -> ExitCode {
    let done = match Arguments::parse().task {
        Task::Demo { arguments } => demo::run(&arguments),
        Task::Test { arguments } => suite::run(&arguments),
        Task::Ci => ci::run_all(),
        Task::Bench(arguments) => arguments.run(),
        Task::Tidy => tidy::run(),
        Task::Web => web::run(),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
