//! Shader source text and locations in it.
//!
//! In: byte ranges, as in naga's spans. Out: file, line and column. All line breaks of WGSL end a line; a carriage
//! return followed by a line feed is one line break. What always holds: an offset outside the text or inside a
//! character has no location, and asking for it is not an error.

use std::fmt;
use std::ops::Range;

use crate::tokenizer::is_line_break;

/// Named source text, or several texts concatenated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    text: String,
    /// Names and start offsets of the concatenated texts; at least one.
    parts: Vec<SourcePart>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct SourcePart {
    name: String,
    start: usize,
}

/// A location in a [`Source`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Name of the source, usually a path.
    pub file: String,
    /// Line, counted from one.
    pub line: u32,
    /// Column in characters, counted from one.
    pub column: u32,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl Source {
    /// A source of one named text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let name = name.into();
        Self {
            text: text.into(),
            parts: vec![SourcePart { name, start: 0 }],
        }
    }

    /// Concatenates another source, starting on a new line. Locations in both keep their file and line.
    pub fn followed_by(mut self, next: Self) -> Self {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        let before = self.text.len();
        self.text.push_str(&next.text);
        let parts = next.parts.into_iter().map(|part| SourcePart {
            start: before + part.start,
            ..part
        });
        self.parts.extend(parts);
        self
    }

    /// The name, usually a path; of concatenated texts, that of the first.
    pub fn name(&self) -> &str {
        &self.parts[0].name
    }

    /// The name and range of the text that contains an offset.
    pub(crate) fn part_at(&self, offset: usize) -> (&str, Range<usize>) {
        // If several texts begin at the same offset, all but the last are empty.
        let after = self.parts.partition_point(|part| part.start <= offset);
        let end = self
            .parts
            .get(after)
            .map_or(self.text.len(), |part| part.start);
        let part = &self.parts[after - 1];
        (&part.name, part.start..end)
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The location of the start of a span; `None` for undefined spans and for spans outside the text.
    pub fn locate(&self, span: naga::Span) -> Option<Location> {
        let start = span.to_range()?.start;
        let (name, part) = self.part_at(start);
        let before = self.text.get(part.start..start)?;
        // The whole text, because the line feed of a CR LF pair may come after `before` ends.
        let text = &self.text[part];
        let starts = line_starts(text).take_while(|start| *start <= before.len());
        let (line, line_start) = starts.enumerate().last()?;
        Some(Location {
            file: name.to_owned(),
            line: line as u32 + 1,
            column: before[line_start..].chars().count() as u32 + 1,
        })
    }
}

/// Byte offsets of the starts of lines, the first of them 0.
pub(crate) fn line_starts(text: &str) -> impl Iterator<Item = usize> + '_ {
    let breaks = text.match_indices(is_line_break).filter(|(at, found)| {
        // The line feed after it ends the line.
        *found != "\r" || text.as_bytes().get(at + 1) != Some(&b'\n')
    });
    std::iter::once(0).chain(breaks.map(|(at, found)| at + found.len()))
}

/// A line without its line break.
pub(crate) fn without_line_break(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix(is_line_break).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(start: u32, end: u32) -> Option<String> {
        let source = Source::new("a.wgsl", "é = 1;\nx\n");
        let location = source.locate(naga::Span::new(start, end));
        location.map(|location| location.to_string())
    }

    #[test]
    fn columns_count_characters() {
        assert_eq!(place(0, 1).as_deref(), Some("a.wgsl:1:1"));
        assert_eq!(place(5, 6).as_deref(), Some("a.wgsl:1:5"));
        assert_eq!(place(8, 9).as_deref(), Some("a.wgsl:2:1"));
        assert_eq!(place(10, 10).as_deref(), Some("a.wgsl:3:1"));
    }

    #[test]
    fn each_text_has_its_own_lines() {
        let source = Source::new("a.wgsl", "x\ny").followed_by(Source::new("b.wgsl", "z\nw\n"));
        assert_eq!(source.text(), "x\ny\nz\nw\n");
        let place = |at: u32| {
            source
                .locate(naga::Span::new(at, at + 1))
                .unwrap()
                .to_string()
        };
        assert_eq!(place(2), "a.wgsl:2:1");
        assert_eq!(place(4), "b.wgsl:1:1");
        assert_eq!(place(6), "b.wgsl:2:1");
    }

    #[test]
    fn every_line_break_of_wgsl_ends_a_line() {
        for end in [
            "\n", "\u{b}", "\u{c}", "\r", "\r\n", "\u{85}", "\u{2028}", "\u{2029}",
        ] {
            let text = format!("a{end}b{end}{end}c");
            let starts: Vec<usize> = line_starts(&text).collect();
            let n = end.len();
            assert_eq!(starts, [0, 1 + n, 2 + 2 * n, 2 + 3 * n], "{end:?}");
            let at = text.len() as u32 - 1;
            let place = Source::new("a.wgsl", text).locate(naga::Span::new(at, at + 1));
            assert_eq!(place.unwrap().to_string(), "a.wgsl:4:1", "{end:?}");
        }
        // Within a CR LF pair: still on the line that it ends.
        let place = Source::new("a.wgsl", "a\r\nb").locate(naga::Span::new(2, 3));
        assert_eq!(place.unwrap().to_string(), "a.wgsl:1:3");
        assert_eq!(without_line_break("a\n\r\n"), "a\n");
    }

    #[test]
    fn no_location_outside_the_text() {
        assert_eq!(place(0, 0), None);
        assert_eq!(place(1, 2), None);
        assert_eq!(place(99, 100), None);
    }
}
