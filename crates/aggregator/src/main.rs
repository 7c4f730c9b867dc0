//! The aggregator's program.

fn main() -> std::process::ExitCode {
    quorate_aggregator::cli::main()
}
