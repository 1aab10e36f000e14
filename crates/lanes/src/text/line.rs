//! The tokens of one line, and a cursor that parses them.
//!
//! In: a line and its number. Out: parsed tokens, one after another, or an error with the expected token and the
//! location.

use super::{TextError, number};
use crate::ir::{BlockId, PatternId, Value};

/// A word or a punctuation character, and its first column.
#[derive(Clone, Copy)]
struct Token<'t> {
    text: &'t str,
    column: usize,
}

/// A tokenized line, with a cursor.
pub(super) struct Line<'t> {
    number: usize,
    tokens: Vec<Token<'t>>,
    next: usize,
    /// The column after the last token.
    end: usize,
}

/// Punctuation: characters that are tokens of their own.
const SIGNS: &[char] = &[',', '(', ')', '[', ']', ':', '='];

impl<'t> Line<'t> {
    /// Tokenizes a line.
    pub(super) fn new(number: usize, text: &'t str) -> Self {
        let text = text.split_once("//").map_or(text, |(before, _)| before);
        let mut tokens = Vec::new();
        let mut start = None;
        let mut end = 1;
        for (column, (at, character)) in (1..).zip(text.char_indices()) {
            let is_sign = SIGNS.contains(&character);
            if (is_sign || character.is_whitespace())
                && let Some((from, column)) = start.take()
            {
                let text = &text[from..at];
                tokens.push(Token { text, column });
            }
            if is_sign {
                let text = &text[at..at + character.len_utf8()];
                tokens.push(Token { text, column });
            } else if !character.is_whitespace() {
                start = start.or(Some((at, column)));
            }
            if !character.is_whitespace() {
                end = column + 1;
            }
        }
        if let Some((from, column)) = start {
            let text = text[from..].trim_end();
            tokens.push(Token { text, column });
        }
        Self {
            number,
            tokens,
            next: 0,
            end,
        }
    }

    /// Whether all tokens have been parsed.
    pub(super) fn is_empty(&self) -> bool {
        self.next == self.tokens.len()
    }

    /// The next token, which is not consumed.
    pub(super) fn peek(&self) -> Option<&'t str> {
        self.tokens.get(self.next).map(|token| token.text)
    }

    /// The token after the next one.
    pub(super) fn peek_second(&self) -> Option<&'t str> {
        self.tokens.get(self.next + 1).map(|token| token.text)
    }

    /// The column of the next token.
    pub(super) fn column(&self) -> usize {
        let next = self.tokens.get(self.next);
        next.map_or(self.end, |token| token.column)
    }

    /// An error at the next token.
    pub(super) fn error(&self, message: impl Into<String>) -> TextError {
        self.error_at(self.column(), message)
    }

    /// An error at a column of the line.
    pub(super) fn error_at(&self, column: usize, message: impl Into<String>) -> TextError {
        TextError {
            line: self.number,
            column,
            message: message.into(),
        }
    }

    /// An error at the next token, with what was expected instead of it.
    pub(super) fn expected(&self, what: &str) -> TextError {
        match self.peek() {
            Some(found) => self.error(format!("expected {what}, found `{found}`")),
            None => self.error(format!("expected {what}")),
        }
    }

    /// Consumes the next token if it is this one.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let is_it = self.peek() == Some(text);
        self.next += usize::from(is_it);
        is_it
    }

    /// Consumes this token; anything else is an error.
    pub(super) fn expect(&mut self, text: &str) -> Result<(), TextError> {
        if self.take(text) {
            Ok(())
        } else {
            Err(self.expected(&format!("`{text}`")))
        }
    }

    /// Expects the end of the line.
    pub(super) fn finish(&self) -> Result<(), TextError> {
        if self.is_empty() {
            Ok(())
        } else {
            Err(self.expected("the end of the line"))
        }
    }

    /// Parses the next token with a function.
    pub(super) fn read<T>(
        &mut self,
        what: &str,
        read: impl FnOnce(&'t str) -> Option<T>,
    ) -> Result<T, TextError> {
        let item = self
            .peek()
            .and_then(read)
            .ok_or_else(|| self.expected(what))?;
        self.next += 1;
        Ok(item)
    }

    /// Parses 32 bits, written as an integer or a float.
    pub(super) fn number(&mut self) -> Result<u32, TextError> {
        self.read("a number", number::read)
    }

    /// Parses an integer that fits into a type.
    pub(super) fn integer<T: TryFrom<u32>>(&mut self) -> Result<T, TextError> {
        self.read("an integer", |text| {
            let is_integer = text.starts_with(|first: char| first.is_ascii_digit());
            let is_float = !text.starts_with("0x") && text.ends_with('f');
            let bits = (is_integer && !is_float)
                .then(|| number::read(text))
                .flatten()?;
            T::try_from(bits).ok()
        })
    }

    /// Parses an offset, which has a sign.
    pub(super) fn offset(&mut self) -> Result<i32, TextError> {
        self.read("an offset like `+0`", |text| {
            text.starts_with(['+', '-']).then(|| text.parse().ok())?
        })
    }

    /// Parses a letter followed by a number.
    fn numbered(&mut self, letter: char, what: &str) -> Result<u32, TextError> {
        self.read(what, |text| numbered(letter, text))
    }

    /// Parses a value, `vN`.
    pub(super) fn value(&mut self) -> Result<Value, TextError> {
        self.numbered('v', "a value").map(Value)
    }

    /// Parses a block, `bN`.
    pub(super) fn block(&mut self) -> Result<BlockId, TextError> {
        self.numbered('b', "a block").map(BlockId)
    }

    /// Parses a pattern, `pN`.
    pub(super) fn pattern(&mut self) -> Result<PatternId, TextError> {
        self.numbered('p', "a pattern").map(PatternId)
    }

    /// Whether the next token is a letter followed by a number.
    pub(super) fn is_numbered(&self, letter: char) -> bool {
        self.peek()
            .is_some_and(|token| numbered(letter, token).is_some())
    }

    /// Parses items separated by commas, up to an end token.
    pub(super) fn list<T>(
        &mut self,
        end: &str,
        mut item: impl FnMut(&mut Self) -> Result<T, TextError>,
    ) -> Result<Vec<T>, TextError> {
        let mut items = Vec::new();
        while !self.take(end) {
            if !items.is_empty() {
                self.expect(",")?;
            }
            items.push(item(self)?);
        }
        Ok(items)
    }
}

fn numbered(letter: char, text: &str) -> Option<u32> {
    let digits = text.strip_prefix(letter)?;
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| digits.parse().ok()).flatten()
}
