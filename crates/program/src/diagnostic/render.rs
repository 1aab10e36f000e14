//! Renders a [`Diagnostic`] as text.
//!
//! In: a diagnostic and its source. Out: the report drawn by `codespan-reporting`, plain and with ANSI colors, without
//! a newline at the end. What always holds: no unprintable character of the user reaches a terminal, a source line of
//! any length is shown as a short window around the label, and the result is never empty.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use codespan_reporting::diagnostic::{
    Diagnostic as Report, Label as ReportLabel, LabelStyle, Severity as ReportSeverity,
};
use codespan_reporting::files::{Error, Files};
use codespan_reporting::term::termcolor::Ansi;
use codespan_reporting::term::{self, Styles, StylesWriter};

use super::{Diagnostic, Label, Severity};
use crate::Source;
use crate::source::{line_starts, without_line_break};

/// Bytes of a long line shown before the label.
const BYTES_BEFORE_LABEL: usize = 60;

/// Bytes of a long line shown in total.
const WINDOW_BYTES: usize = 160;

/// A report, plain and with ANSI colors.
#[derive(Clone, Debug, Default)]
pub(super) struct Rendered {
    pub(super) plain: String,
    pub(super) colored: String,
}

pub(super) fn render(diagnostic: &Diagnostic, source: Option<&Source>) -> Rendered {
    let severity = match diagnostic.severity {
        Severity::Error => ReportSeverity::Error,
        Severity::Warning => ReportSeverity::Warning,
    };
    let (name, text, labels) =
        source.map_or_else(Default::default, |source| shown(diagnostic, source));
    let windows = ShortenedSource::new(name, text, &labels);
    let notes = diagnostic.notes.iter().map(|note| format!("note: {note}"));
    let report = Report::new(severity)
        .with_message(&diagnostic.message)
        .with_labels(windows.labels(&labels))
        .with_notes(notes.collect());
    let config = term::Config::default();
    let mut colors = Vec::new();
    let plain = term::emit_into_string(&config, &windows, &report);
    let colored = term::emit_to_write_style(
        &mut StylesWriter::new(Ansi::new(&mut colors), &Styles::default()),
        &config,
        &windows,
        &report,
    );
    match (plain, colored, String::from_utf8(colors)) {
        (Ok(plain), Ok(()), Ok(colored)) => Rendered {
            plain: plain.trim_end().to_owned(),
            colored: colored.trim_end().to_owned(),
        },
        // Codespan fails only on ranges outside the file. Even then the message must be shown.
        _ => {
            let message = format!("error: {}", diagnostic.message);
            Rendered {
                plain: message.clone(),
                colored: message,
            }
        }
    }
}

/// Selects the part of a multi-part source that contains the primary label, with the labels inside it.
fn shown<'a>(diagnostic: &Diagnostic, source: &'a Source) -> (&'a str, &'a str, Vec<Label>) {
    let first = diagnostic
        .labels
        .first()
        .map_or(0, |label| label.range.start);
    let (name, part) = source.part_at(first);
    let inside =
        |label: &&Label| part.contains(&label.range.start) || part.end == label.range.start;
    let labels = diagnostic.labels.iter().filter(inside).map(|label| Label {
        range: label.range.start - part.start..label.range.end - part.start,
        ..label.clone()
    });
    let labels = labels.collect();
    (name, &source.text()[part], labels)
}

/// Replaces unprintable characters by others of the same length in bytes.
pub(super) fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unprintable) {
        return text.into();
    }
    let replaced = text.chars().map(|c| match c.len_utf8() {
        _ if !is_unprintable(c) => c,
        1 => '?',
        2 => '\u{bf}',
        _ => char::REPLACEMENT_CHARACTER,
    });
    replaced.collect::<String>().into()
}

/// Control characters, and characters that change the text direction.
fn is_unprintable(c: char) -> bool {
    let turns_text = matches!(c,
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    (c.is_control() && !matches!(c, '\t' | '\n')) || turns_text
}

/// A source prepared for codespan: printable, each line shortened to [`WINDOW_BYTES`] bytes.
struct ShortenedSource<'a> {
    name: Cow<'a, str>,
    text: Cow<'a, str>,
    /// Byte offset of each line's start.
    line_starts: Vec<usize>,
    /// Byte offset of each line's end, before its line break.
    line_ends: Vec<usize>,
    /// Start of the window of each line with labels.
    window_starts: HashMap<usize, usize>,
}

impl<'a> ShortenedSource<'a> {
    fn new(name: &'a str, text: &'a str, labels: &[Label]) -> Self {
        let mut this = Self {
            name: printable(name),
            text: printable(text),
            line_starts: line_starts(text).collect(),
            line_ends: Vec::new(),
            window_starts: HashMap::new(),
        };
        // Computed on the original text: `printable` replaces unprintable line breaks.
        let ends = this.line_starts.iter().skip(1).copied();
        let lines = this.line_starts.iter().zip(ends.chain([text.len()]));
        this.line_ends = lines
            .map(|(start, end)| start + without_line_break(&text[*start..end]).len())
            .collect();
        for label in labels {
            let line = this.line_of(label.range.start);
            let start = label.range.start.saturating_sub(BYTES_BEFORE_LABEL);
            let start = this.boundary(start.max(this.line_starts[line]));
            // The first label is the primary one, so its window wins.
            this.window_starts.entry(line).or_insert(start);
        }
        this
    }

    fn line_of(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= offset) - 1
    }

    /// The last character boundary at or before `offset`.
    fn boundary(&self, offset: usize) -> usize {
        self.text.floor_char_boundary(offset)
    }

    /// The part of a line that is shown: all of it, or a window.
    fn window(&self, line: usize) -> Range<usize> {
        let (line_start, line_end) = (self.line_starts[line], self.line_ends[line]);
        if line_end - line_start <= WINDOW_BYTES {
            return line_start..line_end;
        }
        let start = *self.window_starts.get(&line).unwrap_or(&line_start);
        start..self.boundary(line_end.min(start + WINDOW_BYTES))
    }

    /// The labels, each clipped to the shown part of its first line.
    fn labels(&self, labels: &[Label]) -> Vec<ReportLabel<()>> {
        let styles =
            std::iter::once(LabelStyle::Primary).chain(std::iter::repeat(LabelStyle::Secondary));
        styles
            .zip(labels)
            .filter_map(|(style, label)| {
                let shown = self.window(self.line_of(label.range.start));
                let start = self.boundary(label.range.start);
                // Codespan would draw a label that crosses a line end as a multi-line label.
                let start = start.min(shown.end.max(shown.start));
                let end = self.boundary(label.range.end.clamp(start, shown.end.max(start)));
                let is_shown = shown.start <= start && start <= shown.end;
                is_shown
                    .then(|| ReportLabel::new(style, (), start..end).with_message(&label.message))
            })
            .collect()
    }
}

impl<'f> Files<'f> for ShortenedSource<'_> {
    type FileId = ();
    type Name = &'f str;
    type Source = &'f str;

    fn name(&'f self, (): ()) -> Result<&'f str, Error> {
        Ok(&self.name)
    }

    fn source(&'f self, (): ()) -> Result<&'f str, Error> {
        Ok(&self.text)
    }

    fn line_index(&'f self, (): (), byte_index: usize) -> Result<usize, Error> {
        Ok(self.line_of(byte_index))
    }

    fn column_number(
        &'f self,
        (): (),
        line_index: usize,
        byte_index: usize,
    ) -> Result<usize, Error> {
        // Columns count from the start of the line, not of the window.
        let start = self.line_starts[line_index];
        let before = self.text.get(start..byte_index).unwrap_or_default();
        Ok(before.chars().count() + 1)
    }

    fn line_range(&'f self, (): (), line_index: usize) -> Result<Range<usize>, Error> {
        if line_index >= self.line_starts.len() {
            return Err(Error::LineTooLarge {
                given: line_index,
                max: self.line_starts.len() - 1,
            });
        }
        Ok(self.window(line_index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(text: &str, range: Range<usize>) -> String {
        let source = Source::new("a.wgsl", text);
        let labels = [(range, "here".to_owned())];
        Diagnostic::new("no", labels, Vec::new(), Some(&source)).to_string()
    }

    #[test]
    fn line_column_text_and_caret() {
        assert_eq!(
            rendered("one\ntwo three\n", 8..13),
            "error: no\n  ┌─ a.wgsl:2:5\n  │\n2 │ two three\n  │     ^^^^^ here"
        );
    }

    #[test]
    fn the_text_with_the_place_is_shown() {
        let source =
            Source::new("a.wgsl", "one\n").followed_by(Source::new("b.wgsl", "two\nthree\n"));
        let labels = [(8..13, "here".to_owned()), (0..3, "there".to_owned())];
        let report = Diagnostic::new("no", labels, Vec::new(), Some(&source)).to_string();
        assert_eq!(
            report,
            "error: no\n  ┌─ b.wgsl:2:1\n  │\n2 │ three\n  │ ^^^^^ here"
        );
    }

    #[test]
    fn a_long_line_shows_around_the_place() {
        let text = format!("{}!{}", "é".repeat(5_000), "x".repeat(5_000));
        let report = rendered(&text, 10_000..10_001);
        assert!(report.contains("a.wgsl:1:5001"), "{report}");
        assert!(report.contains("éé!xx"), "{report}");
        assert!(report.len() < 1_000, "{report}");
    }

    #[test]
    fn a_label_over_many_lines_marks_its_first() {
        let report = rendered("one\ntwo\nthree\n", 0..12);
        assert!(report.contains("^^^"), "{report}");
        assert!(!report.contains("three"), "{report}");
    }

    #[test]
    fn the_end_of_the_text_can_be_shown() {
        assert!(rendered("one", 3..3).contains("a.wgsl:1:4"));
        assert!(rendered("one\n", 4..4).contains("a.wgsl:2:1"));
        assert!(rendered("", 0..1).starts_with("error: no"));
    }

    #[test]
    fn what_a_terminal_would_obey_is_replaced() {
        let report = rendered("a \u{1b}[31m \u{202e} \u{84} \u{7} b", 0..1);
        assert!(report.contains("a ?[31m \u{fffd} \u{bf} ? b"), "{report}");
    }

    #[test]
    fn a_line_ends_before_its_line_break() {
        for end in [
            "\n", "\u{b}", "\u{c}", "\r", "\r\n", "\u{85}", "\u{2028}", "\u{2029}",
        ] {
            let text = format!("one{end}two three{end}");
            let start = 7 + end.len();
            assert_eq!(
                rendered(&text, start..start + 5),
                "error: no\n  ┌─ a.wgsl:2:5\n  │\n2 │ two three\n  │     ^^^^^ here",
                "{end:?}"
            );
            // A label may cover only the line break.
            let report = rendered(&text, 3..3 + end.len());
            assert!(
                report.contains("1 │ one\n  │    ^ here"),
                "{end:?}: {report}"
            );
        }
    }

    #[test]
    fn colors_change_nothing_else() {
        let source = Source::new("a.wgsl", "one\n\u{1b}[31mtwo\n");
        let labels = [(4..6, "here".to_owned())];
        let diagnostic = Diagnostic::new("no", labels, vec!["why".to_owned()], Some(&source));
        let colored = diagnostic.colored();
        let mut plain = String::new();
        let mut parts = colored.split('\u{1b}');
        plain.push_str(parts.next().unwrap());
        for part in parts {
            // An escape sequence ends with its first letter.
            let end = part.find('m').unwrap();
            plain.push_str(&part[end + 1..]);
        }
        assert_eq!(plain.trim_end(), diagnostic.to_string());
        assert_ne!(colored, diagnostic.to_string());
    }
}
