//! The command: `cli` parses the arguments, `run` executes it; errors are printed here and converted to an exit code.

mod bar;
mod cli;
mod device;
mod error;
mod picture;
mod run;

use std::io::{Write, stderr};
use std::process::ExitCode;

use clap::Parser;

pub(crate) fn main() -> ExitCode {
    match run::run(&cli::Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If stderr is closed, the message is lost.
            let _ = writeln!(stderr(), "error: {error}");
            error.exit_code()
        }
    }
}
