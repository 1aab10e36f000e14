//! The `anywarp` command: parses its arguments, runs one command, and converts an error to a message and an exit
//! code.

#![forbid(unsafe_code)]

mod bench;
mod cli;
mod completions;
mod console;
mod device;
mod doctor;
mod engine;
mod error;
mod gallery;
mod graph;
mod image;
mod input;
mod inspect;

mod layout;

mod run;
mod specs;
mod stage;
mod texture;
mod translate;
mod wasm;

use std::process::ExitCode;
use std::thread;

use clap::Parser;

use cli::{Cli, Command};
use error::Error;

/// The stack size of the main work. Programs may nest as deeply as `program` accepts, and naga's parsers and writers
/// and wgpu are recursive. This was enough for the deepest program in an unoptimised build; the memory is only
/// reserved.
const STACK: usize = 256 << 20;

fn main() -> ExitCode {
    anywarp_adapter::quiet_vulkan_loader();
    anywarp::panics::quiet_caught_panics();
    let Cli { messages, command } = Cli::parse();
    console::set_verbosity(messages.verbosity());
    let thread = thread::Builder::new().stack_size(STACK);
    let worker = thread.spawn(move || execute(&command).map_err(report));
    match worker.map(thread::JoinHandle::join) {
        Ok(Ok(Ok(()))) => ExitCode::SUCCESS,
        Ok(Ok(Err(code))) => code,
        // The panic has printed its own message.
        Ok(Err(_)) => ExitCode::FAILURE,
        Err(error) => report(Error::Thread(error)),
    }
}

fn execute(command: &Command) -> Result<(), Error> {
    match command {
        Command::Run(args) if wasm::is_kernel(&args.file) => wasm::run(args),
        Command::Run(args) => run::run(args),
        Command::Inspect(args) if wasm::is_kernel(&args.file) => wasm::inspect(args),
        Command::Inspect(args) => inspect::inspect(args),
        Command::Translate(args) if wasm::is_kernel(&args.input) => wasm::translate(args),
        Command::Translate(args) => translate::translate(args),
        Command::Build(args) => wasm::build(args),
        Command::Graph(args) => graph::graph(args),
        Command::Gallery(args) => gallery::gallery(args),
        Command::Bench(args) => bench::bench(args),
        Command::Devices(args) => device::devices(args),
        Command::Doctor(args) => doctor::doctor(args),
        Command::Completions { shell } => completions::completions(*shell),
        Command::Man { folder } => completions::man(folder),
    }
}

fn report(error: Error) -> ExitCode {
    console::error(&error);
    ExitCode::from(error.exit_code())
}
