//! The `mandelbrot` command: one image, computed in batches on the CPU or any other device.

#![forbid(unsafe_code)]

#[cfg(not(target_family = "wasm"))]
mod command;

#[cfg(not(target_family = "wasm"))]
fn main() -> std::process::ExitCode {
    command::main()
}

/// A browser has a page instead.
#[cfg(target_family = "wasm")]
fn main() {}
