//! Diagnostics and errors about a user's program.
//!
//! In: naga's parse and validation errors, and the findings of this crate. Out: [`Diagnostic`]s, each one lower-case
//! sentence in the user's own names, and [`ProgramError`], which separates diagnostics, unmet requests (entry point,
//! constant, size) and internal errors. What always holds: a message contains no arena index and no control character;
//! rendering never fails.

mod cause;
mod render;
mod validation;

use std::ops::Range;

use crate::{Location, Source};
use render::Rendered;

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
    /// The program is larger than this crate reads.
    #[error("{0}")]
    TooLarge(String),
    /// A bug in Anywarp or naga, not in the program.
    #[error("internal error, please report it: {0}")]
    Internal(String),
}

impl ProgramError {
    /// The diagnostic, if this error is one.
    pub fn diagnostic(&self) -> Option<&Diagnostic> {
        match self {
            Self::Invalid(diagnostic) => Some(diagnostic),
            _ => None,
        }
    }
}

/// The note on programs that are correct but that naga's front end cannot read.
pub(crate) const FRONT_END_LIMIT: &str =
    "this is a limit of naga, which reads the program, and not a fault of the program";

/// Severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Severity {
    /// The program is refused.
    Error,
    /// The program runs, but something in it deserves attention.
    Warning,
}

/// A location in the source that a [`Diagnostic`] points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The start of the range.
    pub location: Location,
    /// What is wrong at this location; may be empty.
    pub message: String,
    range: Range<usize>,
}

/// An error or warning about a user's program.
///
/// Its `Display` is the whole report: file, line, column, the source line and a caret.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", rendered.plain)]
pub struct Diagnostic {
    severity: Severity,
    message: String,
    labels: Vec<Label>,
    notes: Vec<String>,
    // Boxed to keep `Result`s with this error small.
    rendered: Box<Rendered>,
}

impl Diagnostic {
    /// A diagnostic with labels as byte ranges; the first is the primary one.
    pub(crate) fn new(
        message: &str,
        labels: impl IntoIterator<Item = (Range<usize>, String)>,
        notes: Vec<String>,
        source: Option<&Source>,
    ) -> Self {
        let labels = source.map_or_else(Vec::new, |source| {
            labels
                .into_iter()
                .filter_map(|(range, message)| Label::new(range, &message, source))
                .collect()
        });
        let mut diagnostic = Self {
            severity: Severity::Error,
            message: sentence(message),
            labels,
            notes: notes.iter().map(|note| sentence(note)).collect(),
            rendered: Box::default(),
        };
        *diagnostic.rendered = render::render(&diagnostic, source);
        diagnostic
    }

    /// A diagnostic from an error of naga's WGSL front end.
    pub(crate) fn from_parse(error: &naga::front::wgsl::ParseError, source: &Source) -> Self {
        let labels = error
            .labels()
            .filter_map(|(span, text)| Some((span.to_range()?, in_wgsl_words(text))));
        let mut notes: Vec<String> = error.notes().map(in_wgsl_words).collect();
        let message = in_wgsl_words(error.message());
        if is_front_end_limit(&message) {
            notes.push(FRONT_END_LIMIT.to_owned());
        }
        Self::new(&message, labels, notes, Some(source))
    }

    /// Adds a note, unless the diagnostic already has it.
    pub(crate) fn with_note(mut self, note: &str, source: &Source) -> Self {
        if !self.notes.iter().any(|known| known == note) {
            self.notes.push(note.to_owned());
            *self.rendered = render::render(&self, Some(source));
        }
        self
    }

    /// Byte offset of the primary label.
    pub(crate) fn place(&self) -> Option<usize> {
        self.labels.first().map(|label| label.range.start)
    }

    /// A diagnostic from an error of naga's validator.
    pub(crate) fn from_validation(
        error: &naga::WithSpan<naga::valid::ValidationError>,
        module: &naga::Module,
        source: Option<&Source>,
    ) -> Self {
        validation::diagnostic(error, module, source)
    }

    /// The same, for a module that was derived from the user's and no longer exists.
    pub(crate) fn from_validation_of_copy(
        error: &naga::WithSpan<naga::valid::ValidationError>,
        source: Option<&Source>,
    ) -> Self {
        validation::without_module(error, source)
    }

    /// The severity.
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// The message: one lower-case sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The locations it is about; the first is the primary one.
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// Explanations and suggestions.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The whole report with colors, as ANSI escape sequences; `Display` gives it without colors.
    pub fn colored(&self) -> &str {
        &self.rendered.colored
    }

    /// The primary location, if the program came from text.
    pub fn location(&self) -> Option<&Location> {
        self.labels.first().map(|label| &label.location)
    }
}

impl Label {
    fn new(range: Range<usize>, message: &str, source: &Source) -> Option<Self> {
        let location = source.locate(naga::Span::from(range.clone()))?;
        Some(Self {
            location,
            message: render::printable(message).into_owned(),
            range,
        })
    }
}

/// Replaces naga's terms in a front-end message by those of the WGSL specification.
fn in_wgsl_words(text: &str) -> String {
    // naga's placeholder for labels without a text of their own.
    if text == "see msg" {
        return String::new();
    }
    text.replace("{AbstractFloat}", "AbstractFloat")
        .replace("{AbstractInt}", "AbstractInt")
}

/// WGSL features unknown to naga, by enable name and by the names they introduce.
const UNKNOWN_FEATURES: &[&str] = &[
    "buffer_view",
    "filtering_parameters",
    "fragment_depth",
    "global_invocation_index",
    "linear_indexing",
    "swizzle_assignment",
    "uniform_buffer_standard_layout",
    "workgroup_index",
];

/// Whether naga's front end refuses something that WGSL allows.
fn is_front_end_limit(message: &str) -> bool {
    let is_unknown = |word: &&str| message.contains(&format!("`{word}`"));
    message.contains("not yet supported")
        || message.contains("not yet implemented")
        || message.starts_with("unknown") && UNKNOWN_FEATURES.iter().any(is_unknown)
}

/// A message in house style: printable, no capital at the start, no full stop.
fn sentence(text: &str) -> String {
    let text = render::printable(text.trim().trim_end_matches('.'));
    let mut chars = text.chars();
    match (chars.next(), chars.clone().next()) {
        // A second capital means a name or an acronym, which keeps its capitals.
        (Some(first), second) if !second.is_some_and(char::is_uppercase) => {
            first.to_lowercase().chain(chars).collect()
        }
        _ => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_begin_small_and_end_without_a_stop() {
        assert_eq!(sentence("Workgroup size is 0. "), "workgroup size is 0");
        assert_eq!(sentence("WGSL has none"), "WGSL has none");
        assert_eq!(sentence("bell\u{7}"), "bell?");
        assert_eq!(sentence(""), "");
    }

    #[test]
    fn a_place_outside_the_text_is_left_out() {
        let source = Source::new("a.wgsl", "abc");
        let labels = [(7..9, String::new()), (1..2, "here".to_owned())];
        let diagnostic = Diagnostic::new("no", labels, Vec::new(), Some(&source));
        assert_eq!(diagnostic.labels().len(), 1);
        assert_eq!(diagnostic.location().unwrap().to_string(), "a.wgsl:1:2");
        assert_eq!(diagnostic.severity(), Severity::Error);
    }

    #[test]
    fn without_a_source_there_is_only_the_message() {
        let labels = [(0..1, "here".to_owned())];
        let diagnostic = Diagnostic::new("no", labels, vec!["why".to_owned()], None);
        assert_eq!(diagnostic.to_string(), "error: no\n = note: why");
        assert_eq!(diagnostic.location(), None);
    }
}
