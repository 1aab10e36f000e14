//! Lexer for SPIR-V assembly.
//!
//! In: the text of a module. Out: tokens separated by white space and comments, each with its position, and the header
//! that the leading comments specify. What always holds: a token is not empty, and only quoted strings contain spaces.

use super::AssemblyError;

/// A token; strings include their quotes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    line: u32,
    column: u32,
}

impl Token<'_> {
    pub(super) fn error(&self, message: impl Into<String>) -> AssemblyError {
        AssemblyError {
            line: self.line,
            column: self.column,
            message: message.into(),
        }
    }

    /// Whether this is an instruction name, `OpX`.
    pub(super) fn is_instruction(&self) -> bool {
        let mut rest = self.text.strip_prefix("Op").unwrap_or_default().chars();
        rest.next().is_some_and(|next| next.is_ascii_uppercase())
    }
}

/// The module header, from the leading comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) version: u32,
    pub(super) generator: u32,
    pub(super) bound: u32,
    pub(super) schema: u32,
}

impl Default for Header {
    fn default() -> Self {
        Self {
            version: 0x0001_0600,
            generator: 0,
            bound: 1,
            schema: 0,
        }
    }
}

impl Header {
    fn note(&mut self, comment: &str) {
        let Some((key, value)) = comment.split_once(':') else {
            return;
        };
        let value = value.trim();
        let number = match value.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => value.parse().ok(),
        };
        match (key.trim(), number) {
            ("Version", _) => self.version = version(value).unwrap_or(self.version),
            ("Generator", Some(number)) => self.generator = number,
            ("Bound", Some(number)) => self.bound = number,
            ("Schema", Some(number)) => self.schema = number,
            _ => {}
        }
    }
}

fn version(text: &str) -> Option<u32> {
    let (major, minor) = text.split_once('.')?;
    let (major, minor): (u8, u8) = (major.parse().ok()?, minor.parse().ok()?);
    Some(u32::from(major) << 16 | u32::from(minor) << 8)
}

/// Splits a text into tokens.
pub(super) fn tokens(text: &str) -> Result<(Header, Vec<Token<'_>>), AssemblyError> {
    let mut header = Header::default();
    let mut tokens = Vec::with_capacity(text.len() / 6);
    let mut lexer = Lexer {
        rest: text,
        line: 1,
        column: 1,
    };
    while let Some(first) = lexer.rest.chars().next() {
        match first {
            ' ' | '\t' | '\r' | '\n' => lexer.skip(1),
            ';' => {
                let length = lexer.rest.find('\n').unwrap_or(lexer.rest.len());
                if tokens.is_empty() {
                    header.note(&lexer.rest[1..length]);
                }
                lexer.skip(length);
            }
            '"' => tokens.push(lexer.string()?),
            _ => tokens.push(lexer.word()),
        }
    }
    Ok((header, tokens))
}

struct Lexer<'a> {
    rest: &'a str,
    line: u32,
    column: u32,
}

impl<'a> Lexer<'a> {
    /// Advances by `length` bytes, which must end at a character boundary.
    fn skip(&mut self, length: usize) {
        let (skipped, rest) = self.rest.split_at(length);
        for character in skipped.chars() {
            if character == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
        self.rest = rest;
    }

    fn take(&mut self, length: usize) -> Token<'a> {
        let token = Token {
            text: &self.rest[..length],
            line: self.line,
            column: self.column,
        };
        self.skip(length);
        token
    }

    fn word(&mut self) -> Token<'a> {
        let ends = |character: char| matches!(character, ' ' | '\t' | '\r' | '\n' | ';');
        let length = self.rest.find(ends).unwrap_or(self.rest.len());
        self.take(length)
    }

    fn string(&mut self) -> Result<Token<'a>, AssemblyError> {
        let mut is_escaped = false;
        for (at, character) in self.rest.char_indices().skip(1) {
            match character {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '"' => return Ok(self.take(at + 1)),
                _ => {}
            }
        }
        Err(AssemblyError {
            line: self.line,
            column: self.column,
            message: "the string does not end".to_owned(),
        })
    }
}
