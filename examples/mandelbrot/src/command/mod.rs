//! The command's parts: `cli` says what it takes, `run` does it, and an error becomes a message and an
//! exit code here.

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
            // There is nobody left to tell when that fails.
            let _ = writeln!(stderr(), "error: {error}");
            error.exit_code()
        }
    }
}
