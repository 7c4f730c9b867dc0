//! Messages: tells people what changed, over webhooks, mail, Telegram and Alertmanager.
//!
//! `quorate_core::notify` decides what is told and when; this carries it out.

pub mod book;
pub mod carrier;
pub mod channel;
pub mod message;
mod names;
pub mod quiet;
pub mod rules;
pub mod secret;
pub mod test_message;
mod text;
