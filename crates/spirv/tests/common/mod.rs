//! Shared by several tests: tools that produce SPIR-V, and devices that run it.
#![allow(dead_code, reason = "no test uses all of it")]

pub(crate) mod cases;
pub(crate) mod compute;
pub(crate) mod gpu;
pub(crate) mod random;
pub(crate) mod specialize;
pub(crate) mod tools;

use std::fs::OpenOptions;
use std::io::{Write, stderr};

/// Reports a skipped test on stderr and in the skip log.
pub(crate) fn report_skip(what: &str) {
    let line = format!("SKIPPED: {what}\n");
    say(&line);
    if let Some(log) = std::env::var_os("ANYWARP_SKIP_LOG") {
        let log = OpenOptions::new().append(true).create(true).open(log);
        let _ = log.and_then(|mut log| log.write_all(line.as_bytes()));
    }
}

/// Prints a line that the test harness does not capture.
pub(crate) fn say(line: &str) {
    let _ = stderr().write_all(line.as_bytes());
}

/// The range of seeds to run: its length is given by the environment variable, or is `usual`.
pub(crate) fn seeds(usual: u64) -> std::ops::Range<u64> {
    let number = |name| std::env::var(name).ok().and_then(|it| it.parse().ok());
    let first = number("ANYWARP_FIRST_SEED").unwrap_or(0);
    first..first + number("ANYWARP_SEEDS").unwrap_or(usual)
}

/// Saves a source for inspection, if the environment variable names a folder.
pub(crate) fn keep(name: &str, source: &str) {
    if let Some(folder) = std::env::var_os("ANYWARP_KEEP") {
        let _ = std::fs::write(std::path::Path::new(&folder).join(name), source);
    }
}
