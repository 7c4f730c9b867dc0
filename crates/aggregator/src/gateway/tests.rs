#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod bed;
mod doors;
mod edges;
mod enrolment;
mod floods;
mod forwarder;
mod hostile;
mod parts;
mod renewal;
mod resumption;
mod sessions;
mod walk;
