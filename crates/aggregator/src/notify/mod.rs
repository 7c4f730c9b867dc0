//! Messages: tells people what changed, over webhooks, mail, Telegram and Alertmanager.
//!
//! `quorate_core::notify` decides what is told and when; this carries it out.

pub mod carrier;
pub mod channel;
pub mod message;
pub mod quiet;
pub mod rules;
pub mod secret;
mod text;
