//! Validates WGSL with Tint, the WGSL compiler of Chromium.
//!
//! naga accepts some programs that WebGPU rejects, such as barriers in non-uniform control flow. Shaders for browsers
//! must pass both.

use std::path::Path;

use anywarp_pages::Server;
use serde::Deserialize;

use crate::{Browser, BrowserError};

/// The severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The program is rejected.
    Error,
    /// The program is accepted.
    Warning,
    /// The program is accepted.
    Info,
}

/// A diagnostic of Tint.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Message {
    /// The severity.
    pub severity: Severity,
    /// The line, from one; zero if the message has no position.
    pub line: u32,
    /// The column, from one, in UTF-16 code units.
    pub column: u32,
    /// The text.
    pub text: String,
}

#[derive(Deserialize)]
struct Answer {
    is_valid: bool,
    messages: Vec<Message>,
}

/// Validates programs, given with their names; `Err` has the messages about an invalid one.
///
/// Programs may use every feature of the browser's adapter.
pub fn tint_check(
    browser: &Browser,
    programs: &[(&str, &str)],
) -> Result<Vec<Result<(), Vec<Message>>>, BrowserError> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("blank-page");
    let server = Server::start(&folder, 0).map_err(BrowserError::protocol)?;
    let tab = browser.open(&server.url(), [640, 480])?;
    let texts: Vec<_> = programs.iter().map(|(_, wgsl)| wgsl).collect();
    let texts = serde_json::to_string(&texts).map_err(BrowserError::protocol)?;
    let answers = tab.evaluate(&format!("({})({texts})", include_str!("tint.js")))?;
    let answers: Vec<Answer> = serde_json::from_value(answers).map_err(BrowserError::protocol)?;
    let verdict = |answer: Answer| {
        if answer.is_valid {
            Ok(())
        } else {
            Err(answer.messages)
        }
    };
    Ok(answers.into_iter().map(verdict).collect())
}
