//! The aggregator behind the operator's panel: takes the agents' reports, folds them into verdicts by the rules of
//! `quorate-core`, and shows what it found as badges, feeds and pages.

pub mod api;
pub mod archive;
pub mod authority;
pub mod backtest;
pub mod cli;
pub mod clock;
#[cfg(feature = "demo")]
pub mod demo;
pub mod digest;
pub mod edge_check;
pub mod edge_watch;
pub mod engine;
pub mod event;
pub mod fleet_file;
pub mod gateway;
pub mod inventory;
pub mod limits;
pub mod lines;
pub mod notify;
mod rate;
pub mod replay;
pub mod serve;
#[cfg(feature = "simulation")]
pub mod simulation;
pub mod store;
mod text;
pub mod when;
