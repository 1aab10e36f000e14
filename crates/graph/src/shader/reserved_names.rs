//! Finds names in the user's WGSL that conflict with generated code.
//!
//! In: the user's sources and the generated text, as tokens, since the user's sources may be
//! invalid. Out: the first conflicting name: one that begins with `aw_`, and a declaration with the
//! name of a generated declaration or of a function that generated code calls.

use std::collections::HashSet;

use anywarp_program::naga::Span;
use anywarp_program::{Location, Source};

/// The prefix of the runtime's names.
const PREFIX: &str = "aw_";

/// A conflicting name and its location.
pub(super) struct NameConflict {
    pub(super) name: String,
    pub(super) location: Option<Location>,
}

/// The first conflicting name.
pub(super) fn first_conflict(users: &Source, generated: &str) -> Option<NameConflict> {
    let reserved = reserved(generated);
    let tokens = tokens(users.text());
    let declared: HashSet<_> = declared(&tokens).map(|token| token.start).collect();
    let is_taken = |token: &&Token<'_>| {
        token.is_word()
            && (token.text.starts_with(PREFIX)
                || declared.contains(&token.start) && reserved.contains(token.text))
    };
    tokens.iter().find(is_taken).map(|token| NameConflict {
        name: token.text.to_owned(),
        location: users.locate(Span::new(token.start as u32, token.end() as u32)),
    })
}

/// The first name that a text declares twice at module scope.
pub(super) fn declared_twice(text: &str) -> Option<String> {
    let tokens = tokens(text);
    let mut names = HashSet::new();
    declared(&tokens)
        .find(|token| !names.insert(token.text))
        .map(|token| token.text.to_owned())
}

/// The names that a text declares at module scope, and the names that it calls.
fn reserved(text: &str) -> HashSet<&str> {
    let tokens = tokens(text);
    let called = tokens.windows(2).filter(|pair| {
        let is_call = matches!(pair[1].text, "(" | "<");
        pair[0].is_word() && is_call && pair[0].end() == pair[1].start
    });
    let called = called.map(|pair| pair[0].text);
    declared(&tokens)
        .map(|token| token.text)
        .chain(called)
        .collect()
}

/// The names that a text declares at module scope.
fn declared<'a, 'b>(tokens: &'b [Token<'a>]) -> impl Iterator<Item = Token<'a>> + 'b {
    let mut depth = 0_u32;
    tokens
        .iter()
        .enumerate()
        .filter_map(move |(at, token)| match token.text {
            "{" | "(" | "[" => {
                depth += 1;
                None
            }
            "}" | ")" | "]" => {
                depth = depth.saturating_sub(1);
                None
            }
            "fn" | "struct" | "const" | "override" | "alias" | "var" if depth == 0 => {
                let rest = tokens.get(at + 1..).unwrap_or_default();
                // `var<storage, read_write> name`.
                let is_template = rest.first().is_some_and(|token| token.text == "<");
                let skip = if is_template {
                    rest.iter().position(|token| token.text == ">")? + 1
                } else {
                    0
                };
                rest.get(skip).filter(|token| token.is_word()).copied()
            }
            _ => None,
        })
}

/// A word, or a single other character.
#[derive(Clone, Copy)]
struct Token<'a> {
    start: usize,
    text: &'a str,
}

impl Token<'_> {
    fn end(&self) -> usize {
        self.start + self.text.len()
    }

    fn is_word(&self) -> bool {
        let first = self.text.chars().next();
        first.is_some_and(|first| first.is_alphabetic() || first == '_')
    }
}

/// The tokens of a text, without comments and white space.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut tokens = Vec::new();
    let mut start = 0;
    while let Some(first) = text[start..].chars().next() {
        let rest = &text[start..];
        let length = if rest.starts_with("//") {
            let breaks = [
                '\n', '\u{b}', '\u{c}', '\r', '\u{85}', '\u{2028}', '\u{2029}',
            ];
            rest.find(breaks).unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            comment(rest)
        } else if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let is_comment = rest.starts_with("//") || rest.starts_with("/*");
        if !is_comment && !first.is_whitespace() {
            let text = &rest[..length];
            tokens.push(Token { start, text });
        }
        start += length;
    }
    tokens
}

/// The length of a comment, which may be nested.
fn comment(text: &str) -> usize {
    let mut depth = 0_u32;
    let mut at = 0;
    while let Some(found) = text[at..].find(['/', '*']) {
        let here = at + found;
        let step = match text[here..].get(..2) {
            Some("/*") => {
                depth += 1;
                2
            }
            Some("*/") => {
                depth -= 1;
                2
            }
            _ => 1,
        };
        at = here + step;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}
