//! Reports tests that cannot run on this machine.

use std::fs::OpenOptions;
use std::io::{Write, stderr};

/// Reports a skipped test on stderr, and appends the line to the file that `ANYWARP_SKIP_LOG` names, so that CI can
/// fail on it.
pub fn report_skip(reason: &str) {
    let line = format!("SKIPPED: {reason}\n");
    // Written directly to stderr: the test harness captures the print macros in a test that passes. If stderr is
    // closed, the text is lost.
    let _ = stderr().write_all(line.as_bytes());
    if let Some(path) = std::env::var_os("ANYWARP_SKIP_LOG") {
        OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .and_then(|mut log| log.write_all(line.as_bytes()))
            .expect("the file that ANYWARP_SKIP_LOG names can be written");
    }
}
