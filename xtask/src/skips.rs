//! Tests that could not run.
//!
//! A test that cannot run here appends a line `SKIPPED: reason` to the file that the environment variable [`LOG`]
//! names. In: that file. Out: the distinct lines. What always holds: where skips are forbidden (`CI=true`, or
//! [`FORBID`] set), a single one is a failure, so that tests cannot silently stop running.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

/// The environment variable with the path of the log.
pub(crate) const LOG: &str = "ANYWARP_SKIP_LOG";

/// The environment variable that forbids skips outside CI too.
const FORBID: &str = "ANYWARP_NO_SKIP";

/// Empties the log.
pub(crate) fn start(log: &Path) -> Result<(), String> {
    let written = match log.parent() {
        Some(folder) => std::fs::create_dir_all(folder).and_then(|()| std::fs::write(log, "")),
        None => std::fs::write(log, ""),
    };
    written.map_err(|error| format!("cannot write {}: {error}", log.display()))
}

/// The skipped tests.
pub(crate) fn read(log: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines: BTreeSet<_> = lines.map(str::to_owned).collect();
    lines.into_iter().collect()
}

/// Whether the environment allows skips.
pub(crate) fn allowed(variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let is_ci = variable("CI").is_some_and(|value| value == "true");
    !is_ci && variable(FORBID).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_counts_once() {
        let log = std::env::temp_dir().join(format!("anywarp-skips-{}", std::process::id()));
        start(&log).unwrap();
        assert!(read(&log).is_empty());
        std::fs::write(&log, "SKIPPED: b\nSKIPPED: a\n\nSKIPPED: b\n").unwrap();
        assert_eq!(read(&log), ["SKIPPED: a", "SKIPPED: b"]);
        std::fs::remove_file(&log).unwrap();
    }

    #[test]
    fn the_environment_decides() {
        let environment = |name: &'static str, value: &'static str| {
            move |asked: &str| (asked == name).then(|| OsString::from(value))
        };
        assert!(allowed(|_| None));
        assert!(allowed(environment("CI", "false")));
        assert!(!allowed(environment("CI", "true")));
        assert!(!allowed(environment(FORBID, "1")));
    }
}
