//! Measures what an agent costs its server: processor time per knock beside the bare handshake and beside the exporter that
//! people use for this, memory, descriptors, and bytes on the wire. A real `quorate-agent` reports to a real aggregator; its
//! peers are listeners of this program, on loopback. `cargo xtask bench` builds and runs it, and shows what it found.
//!
//! Its arguments are groups of figures: `knocks`, `memory`, `wire`. `bare KIND ADDRESS SHA256 COUNT` is what it runs itself as,
//! in a process of its own, to be measured.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the command line: printing is its job")]
#![allow(clippy::format_push_string, reason = "one file of an inventory, built once")]
#![allow(clippy::unwrap_used, reason = "a bench that cannot be set up has nothing to say; the panic says where")]

mod bare;
mod blackbox;
mod exporter;
mod figure;
mod kind;
mod knocks;
mod memory;
mod mesh;
mod peers;
mod relay;
mod wire;

use std::env;
use std::process::ExitCode;

use crate::peers::Peers;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["bare", kind, address, certificate, count] = words[..] {
        println!("{}", bare::run(kind, address, certificate, count).as_nanos());
        return ExitCode::SUCCESS;
    }
    let peers = Peers::open();
    for group in words {
        match group {
            "knocks" => knocks::measure(&peers),
            "memory" => memory::measure(&peers),
            "wire" => wire::measure(&peers),
            other => {
                eprintln!("'{other}' is no group of figures: knocks, memory, wire");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
