//! The `mandelbrot` command: computes an image in batches on the CPU or any other device.

#![forbid(unsafe_code)]

#[cfg(not(target_family = "wasm"))]
mod command;

#[cfg(not(target_family = "wasm"))]
fn main() -> std::process::ExitCode {
    command::main()
}

/// Empty: browsers use the crate `mandelbrot-page`.
#[cfg(target_family = "wasm")]
fn main() {}
