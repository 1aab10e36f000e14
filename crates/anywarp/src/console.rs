//! The one place that writes to the terminal: results to stdout, messages to stderr.
//!
//! Errors are in colours where stderr is a terminal; `NO_COLOR` and `CLICOLOR_FORCE` decide otherwise,
//! as for the messages of clap.
//!
//! A reader that has gone away (`anywarp inspect FILE | head -1`) is no failure of ours.

use std::io::{self, Write};

use anywarp_wasm::bytecode::escape_lines;
use serde::Serialize;

use crate::error::Error;

/// Writes a result, with a newline behind it. Whoever wrote the program does not steer the terminal.
pub(crate) fn result(text: &str) -> Result<(), Error> {
    write(&escape_lines(text))
}

fn write(text: &str) -> Result<(), Error> {
    let mut stdout = io::stdout().lock();
    let written = writeln!(stdout, "{text}").and_then(|()| stdout.flush());
    unless_closed(written)
}

/// Writes bytes as they are.
pub(crate) fn raw(bytes: &[u8]) -> Result<(), Error> {
    let mut stdout = io::stdout().lock();
    unless_closed(stdout.write_all(bytes).and_then(|()| stdout.flush()))
}

/// Writes a result as indented JSON.
pub(crate) fn json<T: Serialize>(value: &T) -> Result<(), Error> {
    let text = serde_json::to_string_pretty(value).map_err(|error| Error::Stdout(error.into()))?;
    write(&text)
}

/// Writes a message. There is nobody left to tell when that fails.
pub(crate) fn message(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", escape_lines(text.trim_end()));
}

/// Writes what ended a command.
pub(crate) fn error(error: &Error) {
    // Escape sequences go to terminals alone.
    let mut stderr = anstream::stderr().lock();
    let _ = writeln!(stderr, "{}", error.report().trim_end());
}

fn unless_closed(written: io::Result<()>) -> Result<(), Error> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Error::Stdout(error)),
        _ => Ok(()),
    }
}
