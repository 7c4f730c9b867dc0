//! The archive of reports, folded again: what was known at an earlier moment.
//!
//! The everyday picture: a film. The engine writes a keyframe now and then, and between two keyframes nothing happens but
//! reports. So an earlier moment is the keyframe before it and the reports that came until then, folded by the same rules
//! in the same order: what comes out is what the engine knew. Where no keyframe is left, reports alone are folded, from
//! longer ago than a verdict outlives its evidence (R14), and the answer says so.
//!
//! [`walk::Walk`] reads in pages, [`past::Past`] folds them away from the threads that serve, [`History`] keeps a few
//! folded moments and lets one fold run at a time. Nothing here holds up the engine: it is not asked.

pub mod base;
mod cache;
mod found;
mod history;
pub mod last_hour;
pub mod past;
pub mod walk;

pub use base::{ArchiveError, Base, Footing, as_in_force};
pub use found::Found;
pub use history::{FoldError, History};
pub use past::{Past, World};
pub use walk::{Entry, Page, Walk};
