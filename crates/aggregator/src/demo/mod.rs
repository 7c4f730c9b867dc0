//! demo
pub mod audit;
pub mod blocks;
pub mod cast;
pub mod director;
pub mod script;
pub mod sight;
pub mod targets;
