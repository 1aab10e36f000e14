//! A second opinion on WGSL: Tint, the compiler of Chromium.
//!
//! naga accepts some programs that WebGPU refuses, such as barriers in control flow that is not
//! uniform. What goes to browsers must pass both.

use std::path::Path;

use anywarp_pages::Server;
use serde::Deserialize;

use super::{Browser, BrowserError};

/// How much Tint minds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The program is refused.
    Error,
    /// It is accepted.
    Warning,
    /// It is accepted.
    Info,
}

/// What Tint says about a place in a program.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Message {
    /// How much it minds.
    pub severity: Severity,
    /// The line, from one; zero where it speaks of no place.
    pub line: u32,
    /// The column, from one, in UTF-16 code units.
    pub column: u32,
    /// What it says.
    pub text: String,
}

#[derive(Deserialize)]
struct Answer {
    is_valid: bool,
    messages: Vec<Message>,
}

/// Asks Tint about programs, given with their names; `Err` has the messages about a bad one.
///
/// Programs may use every feature that the browser's adapter has.
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
    let verdict = |answer: Answer| match answer.is_valid {
        true => Ok(()),
        false => Err(answer.messages),
    };
    Ok(answers.into_iter().map(verdict).collect())
}
