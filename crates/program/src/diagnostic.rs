//! What is wrong with a user's program, and where.

use std::sync::Arc;

use crate::Source;

/// Why a program was refused.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// The text or module breaks a rule of the language.
    #[error("{0}")]
    Invalid(#[from] Diagnostic),
    /// An entry point was asked for that the program does not have.
    #[error("{0}")]
    EntryPoint(String),
    /// A pipeline-overridable constant is unknown, missing or out of range.
    #[error("{0}")]
    Constant(String),
}

/// A finding in a user's program, rendered with file, line, column, the source line and a caret.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{rendered}")]
pub struct Diagnostic {
    rendered: String,
}

impl Diagnostic {
    pub(crate) fn from_parse(error: &naga::front::wgsl::ParseError, source: &Arc<Source>) -> Self {
        Self {
            rendered: error.emit_to_string_with_path(source.text(), source.name()),
        }
    }

    pub(crate) fn from_validation(
        error: &naga::WithSpan<naga::valid::ValidationError>,
        source: Option<&Arc<Source>>,
    ) -> Self {
        let rendered = match source {
            Some(source) => error.emit_to_string_with_path(source.text(), source.name()),
            None => error.to_string(),
        };
        Self { rendered }
    }
}
