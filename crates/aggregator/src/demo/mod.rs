//! demo
pub mod blocks;
pub mod targets;
