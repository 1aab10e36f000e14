//! Terminal output: results to stdout, messages to stderr. No other module writes to the terminal.
//!
//! In: results, messages, and the [`Verbosity`] that `main` sets once. Out: lines of text. `--quiet` drops notes;
//! errors and output that an option asks for (`--time`) are always written. Errors are coloured if stderr is a
//! terminal; `NO_COLOR` and `CLICOLOR_FORCE` override that, as for clap's messages. A closed pipe (`anywarp inspect
//! FILE | head -1`) is not an error.

use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;

use anywarp_wasm::bytecode::escape_lines;
use serde::Serialize;

use crate::error::Error;

/// How much a command prints besides its results and errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verbosity {
    /// No messages.
    Quiet,
    /// Notes, summaries of warnings, and progress.
    #[default]
    Normal,
    /// Also every warning, and the log messages of our crates at level `info`.
    Verbose,
    /// Also log messages at level `debug`.
    Debug,
}

static VERBOSITY: OnceLock<Verbosity> = OnceLock::new();

/// Sets the verbosity for the rest of the process; later calls change nothing.
pub(crate) fn set_verbosity(verbosity: Verbosity) {
    if VERBOSITY.set(verbosity).is_ok() {
        start_log(verbosity);
    }
}

fn verbosity() -> Verbosity {
    VERBOSITY.get().copied().unwrap_or_default()
}

/// Whether `--quiet` was given.
pub(crate) fn is_quiet() -> bool {
    verbosity() == Verbosity::Quiet
}

/// Whether `--verbose` was given.
pub(crate) fn is_verbose() -> bool {
    verbosity() >= Verbosity::Verbose
}

/// Writes a result and a newline. Control characters are escaped, so that names in a program cannot control the
/// terminal.
pub(crate) fn result(text: &str) -> Result<(), Error> {
    write(&escape_lines(text))
}

fn write(text: &str) -> Result<(), Error> {
    let mut stdout = io::stdout().lock();
    let written = writeln!(stdout, "{text}").and_then(|()| stdout.flush());
    unless_closed(written)
}

/// Writes a result as indented JSON.
pub(crate) fn json<T: Serialize>(value: &T) -> Result<(), Error> {
    let text = serde_json::to_string_pretty(value).map_err(|error| Error::Stdout(error.into()))?;
    write(&text)
}

/// Writes the contents of a file that goes to standard output, byte by byte.
pub(crate) fn contents(bytes: &[u8]) -> Result<(), Error> {
    let mut stdout = io::stdout().lock();
    let text = std::str::from_utf8(bytes).ok();
    let written = match text.filter(|_| is_terminal()) {
        Some(text) => stdout.write_all(escape_lines(text).as_bytes()),
        None => stdout.write_all(bytes),
    };
    unless_closed(written.and_then(|()| stdout.flush()))
}

/// Whether standard output is a terminal.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Writes a message: an error, or information that an option asks for. If stderr is closed, the message is lost.
pub(crate) fn message(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", escape_lines(text.trim_end()));
}

/// Writes the error that ended a command.
pub(crate) fn error(error: &Error) {
    // Escape sequences go to terminals alone.
    let mut stderr = anstream::stderr().lock();
    let _ = writeln!(stderr, "{}", error.report().trim_end());
}

/// Writes a message that `--quiet` drops: a note, a hint or a warning.
pub(crate) fn note(text: &str) {
    if !is_quiet() {
        message(text);
    }
}

fn unless_closed(written: io::Result<()>) -> Result<(), Error> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Error::Stdout(error)),
        _ => Ok(()),
    }
}

/// Writes the log messages of our crates as messages.
struct Log;

impl log::Log for Log {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        metadata.target().starts_with("anywarp") && metadata.level() <= log::max_level()
    }

    fn log(&self, record: &log::Record<'_>) {
        if self.enabled(record.metadata()) {
            let level = record.level().as_str().to_lowercase();
            message(&format!("{level}: {}", record.args()));
        }
    }

    fn flush(&self) {}
}

/// Without `--verbose` logged errors are hidden, because the command's own error reports the same.
fn start_log(verbosity: Verbosity) {
    let level = match verbosity {
        Verbosity::Quiet | Verbosity::Normal => return,
        Verbosity::Verbose => log::LevelFilter::Info,
        Verbosity::Debug => log::LevelFilter::Debug,
    };
    if log::set_logger(&Log).is_ok() {
        log::set_max_level(level);
    }
}
