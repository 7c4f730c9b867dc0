//! The command line: `serve` runs the aggregator, `replay` and `demo` need none, everything else asks a running one.
//!
//! Tables for people, `--json` for programs. Ends with 0 when all is fine, 1 when verdicts stand (`status`, `explain`,
//! `matrix`, `routes`) or something else does (`edges`, `edge check`), 2 when it could not do what it was told.

mod backtest;
mod badges;
mod client;
mod edges;
mod enroll;
mod events;
mod explain;
mod manual;
mod matrix;
mod notify;
mod print;
mod progress;
mod routes;
mod serve;
mod servers;
mod sse;
mod status;
mod store;
mod terminal;
mod tokens;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

use crate::replay::{self, ReplayArgs};
use client::Client;
pub use client::Reach;

/// Mesh reachability monitor for fleets of VPN servers: the aggregator and its command line.
#[derive(Debug, Parser)]
#[command(name = "quorate-aggregator", version, arg_required_else_help = true)]
struct Cli {
    #[command(flatten)]
    reach: Reach,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the aggregator
    Serve(serve::ServeArgs),
    /// Servers of the fleet
    #[command(subcommand)]
    Server(servers::ServerCommand),
    /// Routes and what they deliver
    #[command(subcommand)]
    Route(routes::RouteCommand),
    /// What every route delivers (same as `route list`); ends with 1 if one is down to its last resort
    Routes,
    /// Edges: the forwarders before the gateway
    #[command(subcommand)]
    Edge(edges::EdgeCommand),
    /// What is found of every edge (same as `edge list`); ends with 1 if something stands
    Edges,
    /// Trust a server's word on a single pair, or stop to
    Verifier(servers::VerifierArgs),
    /// Print the one command that makes a machine the agent of a server
    Enroll(enroll::EnrollArgs),
    /// End a server's certificates, enrolments and sessions
    Revoke(enroll::RevokeArgs),
    /// Badges for other people's pages
    #[command(subcommand)]
    Badge(badges::BadgeCommand),
    /// Tokens of the API
    #[command(subcommand)]
    Token(tokens::TokenCommand),
    /// The fleet at a glance; ends with 1 if verdicts stand
    Status,
    /// Why a server, entry point or route is as it is; ends with 1 if a verdict stands
    Explain(explain::ExplainArgs),
    /// What happened
    Events(events::EventsArgs),
    /// Who sees whom, and in words what that shows; ends with 1 if somebody lost sight of somebody
    Matrix(matrix::MatrixArgs),
    /// Messages: where they go, a test of that, and what became of them
    #[command(subcommand)]
    Notify(notify::NotifyCommand),
    Replay(ReplayArgs),
    /// What another policy would have said in the last hours, in plain words
    Backtest(backtest::BacktestArgs),
    /// The database
    #[command(subcommand)]
    Store(store::StoreCommand),
    /// Print completions for a shell
    Completions(manual::CompletionsArgs),
    /// Write the manual pages
    Man(manual::ManArgs),
    /// Watch a small fleet watch itself: a real aggregator, eight real agents, a script of troubles
    #[cfg(feature = "demo")]
    Demo(crate::demo::DemoArgs),
}

/// Why a command did not do what it was told, in one line.
#[derive(Debug, thiserror::Error)]
#[error("{told}")]
pub struct Failure {
    told: String,
    /// Whether the same may succeed in a while: nobody answers, or is not ready to.
    passes: bool,
}

impl Failure {
    /// What was wrong, where, and what to do.
    pub fn new(told: impl Into<String>) -> Self {
        Self { told: told.into(), passes: false }
    }

    /// The same, of what may be over in a while.
    pub fn passing(told: impl Into<String>) -> Self {
        Self { told: told.into(), passes: true }
    }
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum End {
    /// All is fine.
    Fine,
    /// Verdicts stand, or what was looked at is not as it should be.
    VerdictsStand,
    /// As the command itself says.
    #[cfg(feature = "demo")]
    Other(ExitCode),
}

/// Exit code of a command that could not do what it was told; clap's own refusals have it too.
const EXIT_FAILED: u8 = 2;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(&cli) {
        Ok(End::Fine) => ExitCode::SUCCESS,
        Ok(End::VerdictsStand) => ExitCode::from(1),
        #[cfg(feature = "demo")]
        Ok(End::Other(code)) => code,
        Err(failure) => {
            print::error(&failure);
            ExitCode::from(EXIT_FAILED)
        }
    }
}

fn run(cli: &Cli) -> Result<End, Failure> {
    let runtime = || tokio::runtime::Runtime::new().map_err(|error| Failure::new(format!("cannot start: {error}")));
    let client = || Client::new(&cli.reach);
    match &cli.command {
        Command::Replay(args) => runtime()?.block_on(replayed(args)),
        Command::Store(command) => runtime()?.block_on(store::run(command, cli.reach.json)),
        Command::Serve(args) => runtime()?.block_on(serve::run(args, &cli.reach)),
        Command::Server(command) => runtime()?.block_on(servers::run(&client()?, command)),
        Command::Verifier(args) => runtime()?.block_on(servers::verifier(&client()?, args)),
        Command::Route(command) => runtime()?.block_on(routes::run(&client()?, command)),
        Command::Routes => runtime()?.block_on(routes::list(&client()?)),
        Command::Edges => runtime()?.block_on(edges::run(&client()?, &edges::EdgeCommand::List)),
        Command::Edge(edges::EdgeCommand::Check(args)) => runtime()?.block_on(edges::check(args, &cli.reach)),
        Command::Edge(command) => runtime()?.block_on(edges::run(&client()?, command)),
        Command::Enroll(args) => runtime()?.block_on(enroll::run(&client()?, args)),
        Command::Revoke(args) => runtime()?.block_on(enroll::revoke(&client()?, args)),
        Command::Badge(command) => runtime()?.block_on(badges::run(&client()?, command)),
        Command::Token(command) => runtime()?.block_on(tokens::run(&client()?, command)),
        Command::Backtest(args) => runtime()?.block_on(backtest::run(&client()?, args)),
        Command::Status => runtime()?.block_on(status::run(&client()?)),
        Command::Explain(args) => runtime()?.block_on(explain::run(&client()?, args)),
        Command::Events(args) => runtime()?.block_on(events::run(&client()?, args)),
        Command::Matrix(args) => runtime()?.block_on(matrix::run(&client()?, args)),
        Command::Notify(command) => runtime()?.block_on(notify::run(&client()?, command)),
        Command::Completions(args) => manual::completions(Cli::command(), args),
        Command::Man(args) => manual::man(Cli::command(), args),
        #[cfg(feature = "demo")]
        Command::Demo(args) => {
            let ended = runtime()?.block_on(crate::demo::main(args.clone(), cli.reach.json));
            ended.map(End::Other).map_err(|error| Failure::new(format!("{error:#}")))
        }
    }
}

async fn replayed(args: &ReplayArgs) -> Result<End, Failure> {
    replay::args::main(args).await.map(|_| End::Fine).map_err(|error| Failure::new(format!("{error:#}")))
}
