//! The `parlour` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    parlour::cli::main()
}
