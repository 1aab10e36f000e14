//! Shader text and the places in it.
//!
//! In: byte ranges, which is what naga's spans are. Out: file, line and column, which is what people
//! read. What always holds: a place outside the text or inside a character has no location, and
//! asking for it is no error.

use std::fmt;

/// A named piece of shader text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    name: String,
    text: String,
}

/// A place in a [`Source`]: line and column count from one, the column in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The source's name, usually a path.
    pub file: String,
    /// Line, from one.
    pub line: u32,
    /// Column in characters, from one.
    pub column: u32,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl Source {
    /// Names a text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
        }
    }

    /// The name, usually a path.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where a span begins; `None` for undefined spans and for spans of another text.
    pub fn locate(&self, span: naga::Span) -> Option<Location> {
        let start = span.to_range()?.start;
        let before = self.text.get(..start)?;
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Some(Location {
            file: self.name.clone(),
            line: before.matches('\n').count() as u32 + 1,
            column: before[line_start..].chars().count() as u32 + 1,
        })
    }
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
    fn no_location_outside_the_text() {
        assert_eq!(place(0, 0), None);
        assert_eq!(place(1, 2), None);
        assert_eq!(place(99, 100), None);
    }
}
