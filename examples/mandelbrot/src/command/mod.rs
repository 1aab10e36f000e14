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
            let _ = writeln!(stderr(), "error: {}", with_sources(&error));
            error.exit_code()
        }
    }
}

/// The message of an error and those of its sources, which it does not repeat.
fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        text = format!("{text}: {source}");
        next = source.source();
    }
    text
}
