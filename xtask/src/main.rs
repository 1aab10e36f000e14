//! Repository chores, run as `cargo xtask CHORE`.
//!
//! In: the name of a chore. Out: its report on stdout, and exit code 0 only on success. It knows the repository's
//! layout, but does not depend on its crates.

#![forbid(unsafe_code)]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line tool talks to its user"
)]

mod accuracy;
mod case;
mod command;
mod dist;
mod features;
mod fixtures;
mod internal;
mod package;
mod page;
mod prerequisites;
mod public_api;
mod quick;
mod runtime_folder;
mod skips;
mod soak;
mod targets;
mod test;
mod tidy;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask CHORE

chores:
  test      install what the tests need, run them all, and the separate example project
  quick CRATE [ARGUMENTS]
            formatting, lints and tests of one crate; the arguments are those of `cargo test`
  case NAME one conformance case, such as bounds/array_read, on every executor of this machine
  tidy      check documents, module headers, requirements and paths
  accuracy  measure the builtin functions of one f32 for all of its values, against WGSL's bounds
            --function NAME  this one alone; can be given several times
            --sample N       N values only
            --threads N      on N threads
  soak      run all fuzz bodies, random inputs and coverage-guided ones; findings are in target/soak/findings
            --minutes N    for this long
            --seed S       the same inputs again
            --only TARGET  this one alone; can be given several times
  fixtures  compile the programs that the tests of WebAssembly run
  features  check that the crates compile without features and with each feature alone
  targets   check that the crates compile for other machines and for browsers
  public-api
            compare the public API of each published crate with its snapshot in docs/public-api; ANYWARP_BLESS=1
            rewrites the snapshots
  package   check and compile what each crate would publish
  dist      build the command without debug information, as an archive with a checksum in target/dist
  page      build the Mandelbrot page and serve it to this machine
            --port N     on this port
            --build DIR  only build it, into a folder that any static host can serve";

/// The result of a chore: on failure a message for people.
type Outcome = Result<(), String>;

fn main() -> ExitCode {
    if let Some(rustdoc) = std::env::var_os(public_api::WRAPPED) {
        return public_api::run_rustdoc(&rustdoc);
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = root.parent().unwrap_or(root);
    let outcome = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["test"] => test::run_all(root),
        ["quick", name, ref arguments @ ..] => quick::check(root, name, arguments),
        ["case", name] => case::run(root, name),
        ["tidy"] => tidy::run(root),
        ["accuracy", ref arguments @ ..] => accuracy::measure(root, arguments),
        ["soak", ref arguments @ ..] => soak::soak(root, arguments),
        ["fixtures"] => fixtures::build(root),
        ["features"] => features::check(root),
        ["targets"] => targets::check(root),
        ["public-api"] => public_api::check(root),
        ["package"] => package::run(root),
        ["dist"] => dist::dist(root),
        ["page", ref arguments @ ..] => page::serve_or_build(root, arguments),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
