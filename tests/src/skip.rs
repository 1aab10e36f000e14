//! A test that cannot run says so, where people and CI see it.

use std::fs::OpenOptions;
use std::io::{Write, stderr};

/// Says on stderr that something was skipped, and appends the line to the file that
/// `ANYWARP_SKIP_LOG` names: a skip is visible, and CI can refuse it.
pub fn report_skip(reason: &str) {
    let line = format!("SKIPPED: {reason}\n");
    // Written to the stream itself: the test harness hides what the print macros say in a test that
    // passes. Nothing is lost if stderr is closed.
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
