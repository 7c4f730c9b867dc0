//! Tests in the lab. Each trouble that a network can make has a test of its name.

#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::print_stderr, reason = "tests tell what they do on standard error")]

mod edges_choice;
mod edges_ipv6;
mod edges_load;
mod edges_loss;
mod edges_names;
mod edges_parts;
mod edges_peers;
mod edges_rules;
mod edges_state;
mod faults;
mod middlebox;
mod servers;
mod troubles;
mod witnesses;
