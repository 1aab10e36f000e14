//! `cargo xtask page`: builds and serves the Mandelbrot page.
//!
//! In: the arguments of the chore. Out: the page on this machine, or in a folder. The work is done by `tools/pages`,
//! which is compiled on demand, so that this program compiles quickly.

use std::path::Path;

use crate::command::{cargo, run};
use crate::{Outcome, prerequisites};

const PAGE: &str = "mandelbrot-page";

pub(crate) fn serve_or_build(root: &Path, arguments: &[&str]) -> Outcome {
    prerequisites::install_target(prerequisites::TARGET);
    let mut pages = cargo();
    // Paths in the arguments are relative to the user's current folder.
    pages
        .args(["run", "--package", "anywarp-pages"])
        .arg("--manifest-path")
        .arg(root.join("Cargo.toml"))
        .args(["--", PAGE])
        .args(arguments);
    run(&mut pages)
}
