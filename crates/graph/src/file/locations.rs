//! Source locations in a TOML file: line and key.
//!
//! In: a byte range, as the parser reports it. Out: the line, and the path of the innermost key
//! whose key or value contains the beginning of the range.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::FileError;

/// The text of a TOML file, for locations.
pub(super) struct Locations<'a> {
    name: &'a str,
    text: &'a str,
}

impl<'a> Locations<'a> {
    pub(super) fn new(name: &'a str, text: &'a str) -> Self {
        Self { name, text }
    }

    /// The file's name.
    pub(super) fn file(&self) -> &'a str {
        self.name
    }

    /// An error at a byte range.
    pub(super) fn error(&self, span: Range<usize>, message: impl ToString) -> FileError {
        let (line, key) = (self.line(&span), self.key(span.start));
        FileError::of_line(self.name, line, key, message.to_string())
    }

    /// The one-based line of a byte range.
    pub(super) fn line(&self, span: &Range<usize>) -> usize {
        let before = self.text.as_bytes().get(..span.start).unwrap_or_default();
        before.iter().filter(|&&byte| byte == b'\n').count() + 1
    }

    /// An error at a parsed value.
    pub(super) fn at<T>(&self, value: &Spanned<T>, message: impl ToString) -> FileError {
        self.error(value.span(), message)
    }

    fn key(&self, at: usize) -> Option<String> {
        let table = DeTable::parse(self.text).ok()?;
        let mut search = KeySearch {
            at,
            best: None,
            path: Vec::new(),
        };
        search.table(table.get_ref());
        search.best.map(|(_, path)| path)
    }
}

struct KeySearch {
    at: usize,
    /// The length of the smallest range that contains the position, and its key path.
    best: Option<(usize, String)>,
    path: Vec<String>,
}

impl KeySearch {
    fn consider(&mut self, span: Range<usize>) {
        let is_better = self
            .best
            .as_ref()
            .is_none_or(|(length, _)| span.len() <= *length);
        if span.contains(&self.at) && is_better {
            self.best = Some((span.len(), self.path.concat()));
        }
    }

    fn table(&mut self, table: &DeTable<'_>) {
        for (key, value) in table.iter() {
            let dot = if self.path.is_empty() { "" } else { "." };
            self.path.push(format!("{dot}{}", key.get_ref()));
            self.consider(key.span());
            self.value(value);
            self.path.pop();
        }
    }

    fn value(&mut self, value: &Spanned<DeValue<'_>>) {
        self.consider(value.span());
        match value.get_ref() {
            DeValue::Table(table) => self.table(table),
            DeValue::Array(values) => {
                for (index, value) in values.iter().enumerate() {
                    self.path.push(format!("[{index}]"));
                    self.value(value);
                    self.path.pop();
                }
            }
            _ => {}
        }
    }
}
