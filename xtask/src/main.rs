//! Repository chores, run as `cargo xtask CHORE`.
//!
//! In: the name of a chore. Out: its report on stdout, and exit code 0 only if all is well. It
//! knows the repository, and nothing of what the crates do.

#![forbid(unsafe_code)]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line tool talks to its user"
)]

mod command;
mod package;
mod prerequisites;
mod skips;
mod test;
mod tidy;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask CHORE

chores:
  test      install what the tests need, run them all, and the separate example project
  tidy      check documents, module headers, requirements and paths
  package   check what each crate would publish";

/// What a chore says when it fails: one message for people.
type Outcome = Result<(), String>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = root.parent().unwrap_or(root);
    let chore: fn(&Path) -> Outcome =
        match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["test"] => test::run_all,
            ["tidy"] => tidy::run,
            ["package"] => package::run,
            _ => {
                eprintln!("{USAGE}");
                return ExitCode::from(2);
            }
        };
    match chore(root) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
