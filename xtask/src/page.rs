//! The Mandelbrot page, built and served.
//!
//! In: what stands behind `cargo xtask page`. Out: the page on this machine, or in a folder. The work
//! is done by `tools/pages`, compiled when it is needed: this program stays quick to compile.

use std::path::Path;

use crate::command::{cargo, run};
use crate::{Outcome, prerequisites};

const PAGE: &str = "mandelbrot-page";

pub(crate) fn serve_or_build(root: &Path, arguments: &[&str]) -> Outcome {
    prerequisites::install_target(prerequisites::TARGET);
    let mut pages = cargo();
    // Paths among the arguments are seen from where the user is.
    pages
        .args(["run", "--package", "anywarp-pages"])
        .arg("--manifest-path")
        .arg(root.join("Cargo.toml"))
        .args(["--", PAGE])
        .args(arguments);
    run(&mut pages)
}
