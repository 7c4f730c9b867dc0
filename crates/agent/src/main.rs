//! `quorate-agent`: the command line around the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    quorate_agent::cli::main()
}
