//! What several of the execution tests need: tools that make SPIR-V, and devices that run it.
#![allow(dead_code, reason = "no test uses all of it")]

pub(crate) mod cases;
pub(crate) mod compute;
pub(crate) mod gpu;
pub(crate) mod random;
pub(crate) mod specialise;
pub(crate) mod tools;

use std::fs::OpenOptions;
use std::io::{Write, stderr};

/// Says loudly what cannot be tested here.
pub(crate) fn report_skip(what: &str) {
    let line = format!("SKIPPED: {what}\n");
    say(&line);
    if let Some(log) = std::env::var_os("ANYWARP_SKIP_LOG") {
        let log = OpenOptions::new().append(true).create(true).open(log);
        let _ = log.and_then(|mut log| log.write_all(line.as_bytes()));
    }
}

/// Says something that tests do not hide.
pub(crate) fn say(line: &str) {
    let _ = stderr().write_all(line.as_bytes());
}

/// How many seeds to run: what the variable says, else the number that fits into every run of the
/// tests.
pub(crate) fn seeds(usual: u64) -> std::ops::Range<u64> {
    let number = |name| std::env::var(name).ok().and_then(|it| it.parse().ok());
    let first = number("ANYWARP_FIRST_SEED").unwrap_or(0);
    first..first + number("ANYWARP_SEEDS").unwrap_or(usual)
}

/// Keeps a source for a closer look, if the variable names a folder.
pub(crate) fn keep(name: &str, source: &str) {
    if let Some(folder) = std::env::var_os("ANYWARP_KEEP") {
        let _ = std::fs::write(std::path::Path::new(&folder).join(name), source);
    }
}
