//! Kernels of `anywarp bench` on the CPU, next to the same work in plain Rust with rayon, and to `matrixmultiply`.
//!
//! In: names of cases on the command line, or none for all. Out: a table of medians. All sides of a case work in this
//! process, in rotation, on the same buffers; the results of all are compared before anything is timed. Plain Rust is
//! compiled with everything that the machine has if `RUSTFLAGS` says `-C target-cpu=native`.

#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

mod buffer;
mod case;
mod engine;
mod images;
mod plain;
mod product;
mod stencils;
mod sums;

use case::{Case, Measured, measure};
use engine::Engine;

fn main() {
    let names: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let engine = Engine::new();
    let all: [fn(&Engine) -> Vec<Case>; 4] =
        [sums::cases, stencils::cases, images::cases, product::cases];
    println!("{} threads, {}", rayon::current_num_threads(), target());
    println!(
        "{:<14} {:>9}   {:<18} {:>9}   {:>6}",
        "ms", "anywarp", "other", "", "x"
    );
    for case in all.into_iter().flat_map(|cases| cases(&engine)) {
        if names.is_empty() || names.iter().any(|name| name == case.name) {
            print(case.name, &measure(case));
        }
    }
    println!("x: the time of anywarp over the time of the other");
}

fn print(name: &str, results: &[Measured]) {
    let Some((ours, others)) = results.split_first() else {
        return;
    };
    for other in others {
        println!(
            "{name:<14} {:>9.3}   {:<18} {:>9.3}   {:>6.2}",
            ours.ms,
            other.name,
            other.ms,
            ours.ms / other.ms
        );
    }
}

/// The vector extension that plain Rust is compiled with.
const fn target() -> &'static str {
    match (
        cfg!(target_feature = "avx512f"),
        cfg!(target_feature = "avx2"),
    ) {
        (true, _) => "plain Rust with AVX-512",
        (false, true) => "plain Rust with AVX2",
        (false, false) => "plain Rust without AVX2: set RUSTFLAGS=\"-C target-cpu=native\"",
    }
}
