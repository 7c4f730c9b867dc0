#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod bed;
mod doors;
mod enrolment;
mod hostile;
mod parts;
mod renewal;
mod resumption;
mod sessions;
