//! The `mandelbrot` command: one image, computed in batches on the CPU or any other device.

#![forbid(unsafe_code)]

#[cfg(not(target_family = "wasm"))]
mod bar;
#[cfg(not(target_family = "wasm"))]
mod cli;
#[cfg(not(target_family = "wasm"))]
mod device;
#[cfg(not(target_family = "wasm"))]
mod error;
#[cfg(not(target_family = "wasm"))]
mod picture;
#[cfg(not(target_family = "wasm"))]
mod run;
#[cfg(not(target_family = "wasm"))]
mod views;

#[cfg(not(target_family = "wasm"))]
fn main() -> std::process::ExitCode {
    use clap::Parser;
    use std::io::{Write, stderr};

    match run::run(&cli::Cli::parse()) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            // There is nobody left to tell when that fails.
            let _ = writeln!(stderr(), "error: {error}");
            error.exit_code().into()
        }
    }
}

/// A browser has the page instead.
#[cfg(target_family = "wasm")]
fn main() {}
