//! What is wrong with a user's program, and where.
//!
//! In: naga's parse and validation errors, and what this crate finds itself. Out: [`Diagnostic`]s,
//! which say it in one lower-case sentence with the user's own names, and [`ProgramError`], which
//! keeps the three kinds apart: a diagnostic about the program, a request it cannot meet, and a bug
//! of ours. What always holds: a message has no arena index and no control character in it, and
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
    /// The finding in the program's text, where this is one.
    pub fn diagnostic(&self) -> Option<&Diagnostic> {
        match self {
            Self::Invalid(diagnostic) => Some(diagnostic),
            _ => None,
        }
    }
}

/// What is said where a program is right and naga cannot read it.
pub(crate) const FRONT_END_LIMIT: &str =
    "this is a limit of naga, which reads the program, and not a fault of the program";

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Severity {
    /// The program is refused.
    Error,
    /// The program runs, but should be looked at.
    Warning,
}

/// A place in the source that a [`Diagnostic`] points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where the place begins.
    pub location: Location,
    /// What is to be seen there; may be empty.
    pub message: String,
    range: Range<usize>,
}

/// A finding in a user's program.
///
/// Its `Display` is the whole report: file, line, column, the source line and a caret.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", rendered.plain)]
pub struct Diagnostic {
    severity: Severity,
    message: String,
    labels: Vec<Label>,
    notes: Vec<String>,
    // In a box, since results carry it along every path.
    rendered: Box<Rendered>,
}

impl Diagnostic {
    /// A finding with labels as byte ranges, the first of them the place to look at.
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

    /// naga's front end refused the text.
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

    /// The same with one more note, unless it has that already.
    pub(crate) fn with_note(mut self, note: &str, source: &Source) -> Self {
        if !self.notes.iter().any(|it| it == note) {
            self.notes.push(note.to_owned());
            *self.rendered = render::render(&self, Some(source));
        }
        self
    }

    /// Byte offset of the place to look at.
    pub(crate) fn place(&self) -> Option<usize> {
        self.labels.first().map(|label| label.range.start)
    }

    /// naga's validator refused the module.
    pub(crate) fn from_validation(
        error: &naga::WithSpan<naga::valid::ValidationError>,
        module: &naga::Module,
        source: Option<&Source>,
    ) -> Self {
        validation::diagnostic(error, module, source)
    }

    /// naga's validator refused a module that was made from the user's and is gone.
    pub(crate) fn from_validation_of_copy(
        error: &naga::WithSpan<naga::valid::ValidationError>,
        source: Option<&Source>,
    ) -> Self {
        validation::without_module(error, source)
    }

    /// How grave it is.
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// The finding in one lower-case sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The places it is about, the first of them the one to look at.
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// What helps to understand or mend it.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The whole report with colours, as ANSI escape sequences; `Display` gives it without.
    pub fn coloured(&self) -> &str {
        &self.rendered.coloured
    }

    /// Where to look, if the program came from text.
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

/// A text of naga's front end with the names that the WGSL specification has for things.
fn in_wgsl_words(text: &str) -> String {
    // naga puts this on every label for which it has nothing to say.
    if text == "see msg" {
        return String::new();
    }
    text.replace("{AbstractFloat}", "AbstractFloat")
        .replace("{AbstractInt}", "AbstractInt")
}

/// Features of WGSL that naga does not know: neither what enables them nor what they are.
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

/// Whether naga's front end refuses what WGSL allows.
fn is_front_end_limit(message: &str) -> bool {
    let is_unknown = |it: &&str| message.contains(&format!("`{it}`"));
    message.contains("not yet supported")
        || message.contains("not yet implemented")
        || message.starts_with("unknown") && UNKNOWN_FEATURES.iter().any(is_unknown)
}

/// A message as house style wants it: printable, without a capital at the start or a full stop.
fn sentence(text: &str) -> String {
    let text = render::printable(text.trim().trim_end_matches('.'));
    let mut chars = text.chars();
    match (chars.next(), chars.clone().next()) {
        // A second capital is the sign of a name or an acronym, which keep theirs.
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
