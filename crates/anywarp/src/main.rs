//! The `anywarp` command: parses its arguments, runs one command, turns an error into a message
//! and an exit code.

#![forbid(unsafe_code)]

mod cli;
mod console;
mod contain;
mod device;
mod error;
mod image;
mod input;
mod inspect;
mod interface;
mod run;
mod specs;
mod translate;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command};

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Run(args) => run::run(&args),
        Command::Inspect(args) => inspect::inspect(&args),
        Command::Translate(args) => translate::translate(&args),
        Command::Devices(args) => device::devices(&args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            console::message(&error.report());
            ExitCode::from(error.exit_code())
        }
    }
}
