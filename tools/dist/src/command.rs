//! Runs the command that is packed.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::DistError;

/// The standard output of a command that is given `input`.
pub(super) fn output(command: &mut Command, input: &str) -> Result<String, DistError> {
    let name = format!("{command:?}");
    let failed = |reason: String| DistError::Command {
        command: name.clone(),
        reason,
    };
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| failed(error.to_string()))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A command that reads nothing may have ended already.
        let _ = stdin.write_all(input.as_bytes());
    }
    let output = child
        .wait_with_output()
        .map_err(|error| failed(error.to_string()))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(failed(output.status.to_string()))
    }
}
