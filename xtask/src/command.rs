//! Runs other programs, and names them when they fail.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// The cargo that runs this program.
pub(crate) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a command to completion, with its output passed through.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let name = name(command);
    let status = command.stdin(Stdio::null()).status();
    match status.map_err(|error| format!("`{name}` did not start: {error}"))? {
        status if status.success() => Ok(()),
        status => Err(format!("`{name}` failed: {status}")),
    }
}

/// Runs a command to completion and passes each line of its output to `watch`.
pub(crate) fn run_watched(
    command: &mut Command,
    mut watch: impl FnMut(&str),
) -> Result<(), String> {
    let name = name(command);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("`{name}` did not start: {error}"))?;
    if let Some(output) = child.stdout.take() {
        // Some test programs print invalid UTF-8, so lines are read as bytes.
        for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
            watch(&String::from_utf8_lossy(&line));
        }
    }
    match child.wait() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{name}` failed: {status}")),
        Err(error) => Err(format!("`{name}` was lost: {error}")),
    }
}

/// The text output of a command.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let mut lines = Vec::new();
    run_watched(command, |line| lines.push(line.to_owned()))?;
    Ok(lines.join("\n"))
}

/// The command line, for messages.
fn name(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let program = program.file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_and_failure_are_seen() {
        assert_eq!(output(Command::new("echo").arg("one")).unwrap(), "one");
        let error = run(Command::new("false").arg("--really")).unwrap_err();
        assert!(error.starts_with("`false --really` failed"), "{error}");
        let error = output(&mut Command::new("no-such-program")).unwrap_err();
        assert!(error.contains("did not start"), "{error}");
    }
}
