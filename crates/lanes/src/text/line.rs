//! One line of text as tokens, and what is read from them.
//!
//! In: a line and its number. Out: tokens one after another, or an error that says what was expected where.

use super::{TextError, number};
use crate::ir::{BlockId, PatternId, Value};

/// A word or a sign, and the column where it begins.
#[derive(Clone, Copy)]
struct Token<'t> {
    text: &'t str,
    column: usize,
}

/// A line that is being read.
pub(super) struct Line<'t> {
    number: usize,
    tokens: Vec<Token<'t>>,
    next: usize,
    /// The column behind the last token.
    end: usize,
}

/// Characters that stand for themselves.
const SIGNS: &[char] = &[',', '(', ')', '[', ']', ':', '='];

impl<'t> Line<'t> {
    /// Tokens of a line.
    pub(super) fn new(number: usize, text: &'t str) -> Self {
        let text = text.split_once("//").map_or(text, |(before, _)| before);
        let mut tokens = Vec::new();
        let mut start = None;
        let mut end = 1;
        for (column, (at, it)) in (1..).zip(text.char_indices()) {
            let is_sign = SIGNS.contains(&it);
            if (is_sign || it.is_whitespace())
                && let Some((from, column)) = start.take()
            {
                let text = &text[from..at];
                tokens.push(Token { text, column });
            }
            if is_sign {
                let text = &text[at..at + it.len_utf8()];
                tokens.push(Token { text, column });
            } else if !it.is_whitespace() {
                start = start.or(Some((at, column)));
            }
            if !it.is_whitespace() {
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

    /// Whether nothing is left.
    pub(super) fn is_empty(&self) -> bool {
        self.next == self.tokens.len()
    }

    /// The next token.
    pub(super) fn peek(&self) -> Option<&'t str> {
        self.tokens.get(self.next).map(|it| it.text)
    }

    /// The token behind the next one.
    pub(super) fn peek_second(&self) -> Option<&'t str> {
        self.tokens.get(self.next + 1).map(|it| it.text)
    }

    /// Where the next token begins.
    pub(super) fn column(&self) -> usize {
        let next = self.tokens.get(self.next);
        next.map_or(self.end, |it| it.column)
    }

    /// An error at the next token.
    pub(super) fn error(&self, message: impl Into<String>) -> TextError {
        self.error_at(self.column(), message)
    }

    /// An error somewhere in the line.
    pub(super) fn error_at(&self, column: usize, message: impl Into<String>) -> TextError {
        TextError {
            line: self.number,
            column,
            message: message.into(),
        }
    }

    /// What was expected instead of the next token.
    pub(super) fn expected(&self, what: &str) -> TextError {
        match self.peek() {
            Some(found) => self.error(format!("expected {what}, found `{found}`")),
            None => self.error(format!("expected {what}")),
        }
    }

    /// Takes the next token if it is this one.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let is_it = self.peek() == Some(text);
        self.next += usize::from(is_it);
        is_it
    }

    /// Takes this token.
    pub(super) fn expect(&mut self, text: &str) -> Result<(), TextError> {
        match self.take(text) {
            true => Ok(()),
            false => Err(self.expected(&format!("`{text}`"))),
        }
    }

    /// Nothing is left.
    pub(super) fn finish(&self) -> Result<(), TextError> {
        match self.is_empty() {
            true => Ok(()),
            false => Err(self.expected("the end of the line")),
        }
    }

    /// What a token is read as.
    pub(super) fn read<T>(
        &mut self,
        what: &str,
        read: impl FnOnce(&'t str) -> Option<T>,
    ) -> Result<T, TextError> {
        let it = self
            .peek()
            .and_then(read)
            .ok_or_else(|| self.expected(what))?;
        self.next += 1;
        Ok(it)
    }

    /// 32 bits.
    pub(super) fn number(&mut self) -> Result<u32, TextError> {
        self.read("a number", number::read)
    }

    /// An integer that fits.
    pub(super) fn integer<T: TryFrom<u32>>(&mut self) -> Result<T, TextError> {
        self.read("an integer", |text| {
            let is_integer = text.starts_with(|it: char| it.is_ascii_digit());
            let is_float = !text.starts_with("0x") && text.ends_with('f');
            let bits = (is_integer && !is_float)
                .then(|| number::read(text))
                .flatten()?;
            T::try_from(bits).ok()
        })
    }

    /// An offset, with its sign.
    pub(super) fn offset(&mut self) -> Result<i32, TextError> {
        self.read("an offset like `+0`", |text| {
            text.starts_with(['+', '-']).then(|| text.parse().ok())?
        })
    }

    /// A number behind a letter.
    fn numbered(&mut self, letter: char, what: &str) -> Result<u32, TextError> {
        self.read(what, |text| numbered(letter, text))
    }

    /// A value.
    pub(super) fn value(&mut self) -> Result<Value, TextError> {
        self.numbered('v', "a value").map(Value)
    }

    /// A block.
    pub(super) fn block(&mut self) -> Result<BlockId, TextError> {
        self.numbered('b', "a block").map(BlockId)
    }

    /// A pattern.
    pub(super) fn pattern(&mut self) -> Result<PatternId, TextError> {
        self.numbered('p', "a pattern").map(PatternId)
    }

    /// Whether the next token is a letter with a number behind it.
    pub(super) fn is_numbered(&self, letter: char) -> bool {
        self.peek().is_some_and(|it| numbered(letter, it).is_some())
    }

    /// Things with commas between them, up to a sign.
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
    let is_plain = digits.bytes().all(|it| it.is_ascii_digit());
    is_plain.then(|| digits.parse().ok()).flatten()
}
