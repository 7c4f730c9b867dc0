//! `store`: what is done to a database while no aggregator runs on it.

use clap::{Args, Subcommand};
use serde::Serialize;

use super::progress::Progress;
use super::{End, Failure, print};
use crate::store::Store;

#[derive(Debug, Subcommand)]
pub enum StoreCommand {
    /// Copy everything into a new database: from SQLite to PostgreSQL, back, or as a backup. Stop the aggregator first
    Copy(CopyArgs),
}

/// From where to where.
#[derive(Debug, Args)]
pub struct CopyArgs {
    #[arg(long, value_name = "URL", help = "Database to be read: sqlite:PATH or postgres://USER@HOST/DATABASE")]
    from: String,
    #[arg(long, value_name = "URL", help = "Database to be filled, of either kind; it must be new")]
    to: String,
}

/// What was done.
#[derive(Debug, Serialize)]
struct Copied<'a> {
    from: &'a str,
    to: &'a str,
    rows: u64,
}

pub async fn run(command: &StoreCommand, json: bool) -> Result<End, Failure> {
    let StoreCommand::Copy(args) = command;
    let told = |error: &dyn std::error::Error| Failure::new(error.to_string());
    let from = Store::open_existing(&args.from).await.map_err(|error| told(&error))?;
    let to = Store::open(&args.to).await.map_err(|error| told(&error))?;
    let progress = Progress::of("copying");
    let rows = from.copy_to(&to).await.map_err(|error| told(&error))?;
    drop(progress);
    from.close().await;
    to.close().await;
    if json {
        print::json(&Copied { from: from.url(), to: to.url(), rows })?;
    } else {
        print::line(&format!("{rows} rows copied from {} to {}", from.url(), to.url()))?;
    }
    Ok(End::Fine)
}
